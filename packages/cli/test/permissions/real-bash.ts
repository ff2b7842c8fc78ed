/** Traces how bash reads a command: every program that it would run, with its words. None is run. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Every name is unknown, builtins included, and what is unknown is written down. */
const preamble = String.raw`
command_not_found_handle() {
  local record
  printf -v record '%s\x1f' "$@"
  printf '%s\x1e' "$record" >> "$RECORDS"
}
trap wait EXIT
enable -n $(compgen -b | while read -r name; do
  case $name in printf|wait|local|enable) ;; *) echo "$name" ;; esac
done)
`;

export interface Shell {
  /** Started as the tool does: `bash -c`. */
  run(command: string, locale?: string): readonly (readonly string[])[];
}

export function realBash(): Shell {
  const folder = mkdtempSync(join(tmpdir(), "capstan-bash-"));
  const empty = mkdtempSync(join(tmpdir(), "capstan-bash-cwd-"));
  // A command in the background may still write: the folder is removed once it is done.
  onTestFinished(() =>
    [folder, empty].forEach((path) =>
      rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
    ),
  );
  const start = join(folder, "preamble.sh");
  writeFileSync(start, preamble);
  return {
    run(command, locale = "C.UTF-8") {
      // One folder each: processes left over from a command may still write.
      const records = join(folder, randomUUID());
      writeFileSync(records, "");
      spawnSync("/bin/bash", ["-c", command], {
        cwd: empty,
        env: {
          BASH_ENV: start,
          RECORDS: records,
          PATH: "/nowhere",
          HOME: "/nowhere",
          LC_ALL: locale,
        },
        stdio: "ignore",
        timeout: 2_000,
      });
      return readFileSync(records, "utf8")
        .split("\u001e")
        .slice(0, -1)
        .map((record) => record.split("\u001f").slice(0, -1));
    },
  };
}
