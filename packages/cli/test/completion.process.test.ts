import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { completionScript } from "../src/command-line/completion.ts";

/** Completions that bash offers for the last of these words. */
function complete(...words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const line = `COMP_WORDS=(capstan ${quoted}); COMP_CWORD=${words.length}; _capstan; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", `${completionScript("bash")}\n${line}`], {
    encoding: "utf8",
  });
  return stdout.split("\n").filter(Boolean);
}

test("bash completes commands, their verbs, and options", () => {
  expect(complete("se")).toEqual(["sessions", "serve"]);
  expect(complete("sessions", "re")).toEqual(["release", "repair"]);
  expect(complete("--no")).toEqual(["--no-session", "--no-browser"]);
});

test("zsh and fish get every option and command", () => {
  const [zsh, fish] = [completionScript("zsh"), completionScript("fish")];

  expect(zsh).toMatch(/^#compdef capstan\n/);
  expect(zsh).toContain("'--attach:send a text");
  expect(fish).toContain("complete -c capstan -l continue -s c -d 'resume the newest");
  expect(fish).toContain("-a doctor -d 'check keys");
});
