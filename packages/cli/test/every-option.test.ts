import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { helpText } from "../src/command-line/help.ts";
import { options } from "../src/command-line/options.ts";
import { run } from "../src/process/run.ts";
import { loginWorld } from "../../mcp/test/login-world.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { jsonLines, runScripted } from "./scripted-io.ts";
import { key, openConversation } from "./terminal/headless.ts";

/** Each is what an option is for, seen from outside. A new option without one fails below. */
const cases: Readonly<Record<string, (option: string) => Promise<void>>> = {
  prompt: async (option) => {
    const { provider } = await runScripted([option, "Hi"], [reply(say("ok"))]);

    expect(provider.requests[0]?.messages.at(-1)).toMatchObject({ content: "Hi" });
  },
  continue: async (option) => {
    const { io } = await runScripted(["first"], [reply(say("ok"))]);

    const { provider } = await runScripted([option, "second"], [reply(say("ok"))], homeOf(io));

    expect(provider.requests[0]?.messages).toHaveLength(3);
  },
  resume: async (option) => {
    const { io } = await runScripted(["--json", "first"], [reply(say("ok"))]);
    const id = String(jsonLines(io)[0]?.["id"]);

    const { provider } = await runScripted([option, id, "on"], [reply(say("ok"))], homeOf(io));

    expect(provider.requests[0]?.messages).toHaveLength(3);
  },
  fork: async (option) => {
    const { io } = await runScripted(["first"], [reply(say("ok"))]);

    await runScripted(["-c", option, "second"], [reply(say("ok"))], homeOf(io));

    expect(await linesOf(["sessions"], homeOf(io))).toHaveLength(2);
  },
  attach: async (option) => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "from a file");

    const { provider } = await runScripted([option, "a.txt", "Hi"], [reply(say("ok"))], { cwd });

    expect(JSON.stringify(provider.requests[0]?.messages.at(-1))).toContain("from a file");
  },
  fullscreen: async (option) => {
    const terminal = openConversation([], { argv: [option] });

    await terminal.shows("Try:");

    expect(terminal.isAlternate()).toBe(true);
  },
  "no-browser": async (option) => {
    await using world = await loginWorld();
    const io = memoryIo();
    await run(["mcp", "add", "srv", world.wire.url], io);
    const login = run(["mcp", "login", "srv", option], io);
    await expect.poll(() => io.stdoutText(), { timeout: 20_000 }).toContain("/authorize?");

    await fetch(io.stdoutText().trim());

    expect(await login).toBe(0);
    expect(io.stderrText()).toContain("no browser is opened");
  },
  "screen-reader": async (option) => {
    const terminal = openConversation([say("Hello.")], { argv: [option] });
    await terminal.shows("Try:");

    terminal.type(`hi${key.enter}`);

    await terminal.shows("Reply: Hello.");
  },
  user: async (option) => {
    const io = memoryIo();

    await run(["config", "set", option, "maxSteps", "7"], io);

    expect(await readFile(join(io.home, ".config/capstan/config.json"), "utf8")).toContain("7");
  },
  project: async (option) => {
    const io = memoryIo();

    await run(["config", "set", option, "maxSteps", "7"], io);

    expect(await readFile(join(io.cwd, "capstan.json"), "utf8")).toContain("7");
  },
  drop: async (option) => {
    const { io } = await runScripted(["first"], [reply(say("ok"))]);
    const store = sqlite(join(io.home, ".local/share/capstan/sessions.db"));
    const [session] = (await store.list({ limit: 1 })).sessions;
    const messages = [{ role: "user", id: "t2", content: "unfinished" }] as const;
    await store.post(session?.id ?? "", { v: 1, id: "t2", at: 1, type: "input", messages });
    await store.close();

    const { provider, io: second } = await runScripted(
      ["-c", option, "another"],
      [reply(say("ok"))],
      homeOf(io),
    );

    expect(second.stderrText()).toContain("capstan: dropped the unfinished turn\n");
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]?.messages.at(-1)).toMatchObject({ content: "another" });
  },
  "no-session": async (option) => {
    const { io, exitCode } = await runScripted([option, "first"], [reply(say("ok"))]);

    expect(exitCode).toBe(0);
    expect(io.stdoutText()).toBe("ok\n");
    expect(existsSync(join(io.home, ".local"))).toBe(false);
  },
  model: async (option) => {
    const io = memoryIo();

    const exitCode = await run([option, "no-such/model", "Hi"], io);

    expect(exitCode).toBe(2);
    expect(io.stderrText()).toContain("no-such/model");
  },
  thinking: async (option) => {
    const { provider } = await runScripted([option, "high", "Hi"], [reply(say("ok"))]);

    expect(provider.requests[0]?.options).toMatchObject({ thinkingLevel: "high" });
  },
  root: async (option) => {
    const other = await temporaryFolder();
    await writeFile(join(other, "a.txt"), "from there");
    const read = callTool("read", { path: join(other, "a.txt") });

    const { provider } = await runScripted([option, other, "Hi"], [reply(read), reply(say("ok"))]);

    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ content: "1\tfrom there" });
  },
  allow: async (option) => {
    const write = callTool("write", { path: "a.txt", content: "x" });

    const { io } = await runScripted(
      [option, "write(a.txt)", "Hi"],
      [reply(write), reply(say("ok"))],
    );

    expect(await readFile(join(io.cwd, "a.txt"), "utf8")).toBe("x");
  },
  deny: async (option) => {
    const { io } = await runScripted(
      [option, "ls", "Hi"],
      [reply(callTool("ls", {})), reply(say("ok"))],
    );

    expect(io.stderrText()).toContain("denied by the rule ls, on the command line");
  },
  "max-cost": async (option) => {
    const provider = scriptedProvider([reply(callTool("ls", {})), reply(say("never said"))], {
      usage: { inputTokens: 1_000_000, outputTokens: 1 },
    });
    const price = { id: "p", inputPerMillion: 5, outputPerMillion: 25 };
    const model = { provider, id: "", price };
    const chooseModel = () => ({ model, name: "dear", reason: "a test wants it" });

    const io = memoryIo({ chooseModel });
    const exitCode = await run([option, "2.5", "Hi"], io);

    expect(exitCode).toBe(3);
    expect(io.stderrText()).toContain("the turn ended early: budget-exceeded");
  },
  offline: async (option) => {
    const [line] = await stderrOf([option, "folder"]);

    expect(line).toBe("capstan: using offline, because --offline was given");
  },
  json: async (option) => {
    const { io } = await runScripted([option, "Hi"], [reply(say("ok"))]);

    expect(jsonLines(io).at(-1)).toMatchObject({ type: "result", text: "ok" });
  },
  trust: async (option) => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "capstan.json"), '{ "permissions": { "allow": ["write"] } }');
    const script = [reply(callTool("write", { path: "a.txt", content: "x" })), reply(say("ok"))];

    const { io } = await runScripted([option, "Hi"], script, { cwd });

    expect(io.stderrText()).not.toContain("refused");
  },
  cwd: async (option) => {
    const cwd = await temporaryFolder();

    const { io } = await runScripted([option, cwd, "--json", "Hi"], [reply(say("ok"))]);

    expect(jsonLines(io)[0]).toMatchObject({ cwd });
  },
  all: async (option) => {
    const { io } = await runScripted(["first"], [reply(say("ok"))]);
    const elsewhere = { ...homeOf(io), cwd: await temporaryFolder() };

    expect(await linesOf(["sessions", option], elsewhere)).toHaveLength(1);
    expect(await linesOf(["sessions"], elsewhere)).toHaveLength(0);
  },
  format: async (option) => {
    const { io } = await runScripted(["--json", "first"], [reply(say("ok"))]);
    const id = String(jsonLines(io)[0]?.["id"]);

    const [title] = await linesOf(["sessions", "export", id, option, "markdown"], homeOf(io));

    expect(title).toBe("# first");
  },
  output: async (option) => {
    const { io } = await runScripted(["--json", "first"], [reply(say("ok"))]);
    const id = String(jsonLines(io)[0]?.["id"]);

    await linesOf(["sessions", "export", id, option, "a.jsonl"], homeOf(io));

    expect(await readFile(join(io.cwd, "a.jsonl"), "utf8")).toMatch(/^\{"type":"capstan_session"/);
  },
  port: async (option) => {
    expect(await stderrOf(["serve", option, "65536"])).toContainEqual(
      'capstan: --port must be a number from 0 to 65535, not "65536".',
    );
  },
  host: async (option) => {
    const lines = await stderrOf(["serve", "--offline", option, "192.0.2.1"]);

    // An address for documentation, which no machine has.
    expect(lines.at(-1)).toMatch(/^capstan: Cannot listen on 192\.0\.2\.1:4711: /);
  },
  http: async (option) => {
    const lines = await stderrOf(["mcp", "serve", "--offline", option, "--host", "192.0.2.1"]);

    expect(lines.at(-1)).toMatch(/^capstan: Cannot listen on 192\.0\.2\.1:\d+: /);
  },
  help: async (option) => {
    expect((await linesOf([option], {}))[0]).toMatch(/^Usage: capstan/);
  },
  version: async (option) => {
    expect((await linesOf([option], {}))[0]).toMatch(/^capstan \d/);
  },
};

function homeOf({ home, cwd }: { home: string; cwd: string }): { home: string; cwd: string } {
  return { home, cwd };
}

async function linesOf(
  argv: readonly string[],
  place: { readonly home?: string; readonly cwd?: string },
): Promise<readonly string[]> {
  const io = memoryIo(place);
  await run(argv, io);
  return io.stdoutText().split("\n").slice(0, -1);
}

async function stderrOf(argv: readonly string[]): Promise<readonly string[]> {
  const io = memoryIo();
  await run(argv, io);
  return io.stderrText().split("\n").slice(0, -1);
}

test.each(options.map(({ name }) => name))("--%s does what it is there for", async (name) => {
  const tried = cases[name];

  expect(tried, `no case for --${name}`).toBeDefined();
  await tried?.(`--${name}`);
});

test.each(options.flatMap(({ name, short }) => (short === undefined ? [] : [[short, name]])))(
  "-%s is short for --%s",
  async (short, name) => {
    await cases[name ?? ""]?.(`-${short}`);
  },
);

test("every option is in some help, and every word there with two dashes is one", () => {
  const help = [
    undefined,
    "sessions",
    "models",
    "serve",
    "doctor",
    "init",
    "config",
    "mcp",
    "completion",
  ] as const;

  const shown = help.flatMap((command) => helpText(command).match(/(?<=\s|^)--[a-z-]+/gm) ?? []);

  const known = options.map(({ name }) => `--${name}`);
  expect([...new Set(shown)].toSorted()).toEqual(known.toSorted());
});
