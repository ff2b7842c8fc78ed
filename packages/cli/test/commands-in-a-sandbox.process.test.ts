import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { callTool, reply, say } from "@capstan/testing";
import { checkSandbox } from "@capstan/toolset";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runScripted } from "./scripted-io.ts";

const problem = await checkSandbox({ mode: "strict" });
const note = problem === undefined ? "" : ` (skipped: ${problem})`;

/** A home and a project that are not in the temporary folder, which commands do not see. */
async function surroundings(bash: object, permissions: object = { allow: ["bash@sandbox"] }) {
  const base = await realpath(await mkdtemp(join(homedir(), ".capstan-cli-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [home, cwd] = [join(base, "home"), join(base, "project")];
  const config = join(home, ".config/capstan");
  await mkdir(config, { recursive: true });
  await mkdir(cwd);
  await writeFile(join(config, "config.json"), JSON.stringify({ tools: { bash }, permissions }));
  await writeFile(join(cwd, ".npmrc"), "old\n");
  await writeFile(join(cwd, ".yarnrc"), "old\n");
  const run = async (command: string): Promise<{ text: string; told: string }> => {
    const script = [reply(callTool("bash", { command })), reply(say("ok"))];
    const { provider, io } = await runScripted(["prompt"], script, { home, cwd });
    const result = provider.requests[1]?.messages.at(-1);
    const told = provider.requests[0]?.options?.systemPrompt ?? "";
    return { text: `${JSON.stringify(result)}${io.stderrText()}`, told };
  };
  return { base, home, cwd, config, run };
}

describe.skipIf(problem !== undefined)(`commands of the command in a sandbox${note}`, () => {
  test("bash@sandbox runs them without a question, and they write in the folder only", async () => {
    const { base, cwd, run } = await surroundings({ sandbox: "write" });

    const { text } = await run("echo a > a.txt; echo b > ../b.txt; echo done");

    expect(text).toContain("done");
    expect(text).toContain("Read-only file system");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("a\n");
    expect(existsSync(join(base, "b.txt"))).toBe(false);
  });

  test("bash@sandbox does nothing while the sandbox is off", async () => {
    const { cwd, run } = await surroundings({ sandbox: "off" });

    const { text, told } = await run("echo a > a.txt");

    expect(text).toContain("has not allowed this call");
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
    expect(told).not.toContain("Sandbox");
  });

  test("the model is told in one line what they may do", async () => {
    const { told } = await (await surroundings({ sandbox: "write" })).run("true");
    const strict = await (
      await surroundings({ sandbox: "strict", writable: ["/srv"] })
    ).run("true");

    expect(told).toMatch(
      /\nSandbox: commands of bash can write only to .*; the network is open\.$/m,
    );
    expect(strict.told).toMatch(/\nSandbox: .*\/srv, \/tmp.*; there is no network\.$/m);
  });

  test("a rule that names a protected file opens it, and no other", async () => {
    const { cwd, run } = await surroundings(
      { sandbox: "write" },
      { allow: ["bash@sandbox", "edit(.npmrc)", "edit(**)"] },
    );

    await run("printf 'new\\n' | tee .npmrc .yarnrc capstan.json");

    expect(await readFile(join(cwd, ".npmrc"), "utf8")).toBe("new\n");
    expect(await readFile(join(cwd, ".yarnrc"), "utf8")).toBe("old\n");
    expect(existsSync(join(cwd, "capstan.json"))).toBe(false);
    expect(existsSync(join(cwd, "capstan.json.refused"))).toBe(true);
  });

  test("a rule that denies what another one names keeps it closed", async () => {
    const { cwd, run } = await surroundings(
      { sandbox: "write" },
      { allow: ["bash@sandbox", "edit(.npmrc)"], deny: ["edit(/**/.npmrc)"] },
    );

    await run("f=.np; printf 'new\\n' | tee $f'mrc'");

    expect(await readFile(join(cwd, ".npmrc"), "utf8")).toBe("old\n");
  });

  test("in strict the configuration and the sessions are hidden, in write they are read-only", async () => {
    const strict = await surroundings({ sandbox: "strict" });
    const write = await surroundings({ sandbox: "write" });
    const look = "cat ../home/.config/capstan/config.json; ls ../home/.local/share/capstan";
    const change = "echo x | tee -a ../home/.config/capstan/config.json";

    const hidden = await strict.run(look);
    const shown = await write.run(`${look}; ${change}`);

    expect(hidden.text).toContain("No such file");
    expect(hidden.text).not.toContain("sessions.db");
    expect(shown.text).toContain("sessions.db");
    expect(shown.text).toContain("Read-only file system");
  });

  test("a configuration inside of the working folder is protected, too", async () => {
    const { home, config } = await surroundings({ sandbox: "write" });
    const command =
      "echo x | tee -a .config/capstan/config.json; mv .config c; echo y | tee .local/share/capstan/y";
    const script = [reply(callTool("bash", { command })), reply(say("ok"))];

    const { provider } = await runScripted(["prompt"], script, { home, cwd: home });

    expect(JSON.stringify(provider.requests[1]?.messages)).toContain("busy");
    expect(await readFile(join(config, "config.json"), "utf8")).not.toContain("x\n");
    expect(existsSync(join(home, ".local/share/capstan/y"))).toBe(false);
  });

  test("keys of vendors are not among their variables, whatever they are called", async () => {
    const { home, cwd, config } = await surroundings({});
    const settings = {
      permissions: { allow: ["bash@sandbox"] },
      tools: { bash: { sandbox: "write", passEnv: ["CAPSTAN_TEST_TOKEN"] } },
      providers: {
        workshop: {
          protocol: "openai-chat",
          baseUrl: "http://127.0.0.1:1/v1",
          keyVariable: "WORKSHOP_AUTH",
        },
      },
    };
    await writeFile(join(config, "config.json"), JSON.stringify(settings));
    const secrets = {
      WORKSHOP_AUTH: "sk-1",
      ANTHROPIC_API_KEY: "sk-2",
      CAPSTAN_TEST_TOKEN: "passed",
    };
    for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const command = "echo $CAPSTAN_TEST_TOKEN; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; env";
    const script = [reply(callTool("bash", { command })), reply(say("ok"))];

    const { provider } = await runScripted(["prompt"], script, { home, cwd });

    const text = JSON.stringify(provider.requests[1]?.messages.at(-1));
    expect(text).toContain("passed");
    expect(text).not.toMatch(/sk-[12]/);
  });
});
