import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "@capstan/core";
import type { ScriptItem } from "@capstan/testing";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Io } from "../src/process/io.ts";
import { run } from "../src/process/run.ts";
import type { MemoryIo } from "./memory-io.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { choosing, runScripted } from "./scripted-io.ts";

interface Served {
  readonly io: MemoryIo;
  readonly url: string;
  readonly token: string;
  readonly send: (path: string, body: object) => Promise<readonly Record<string, unknown>[]>;
  /** Interrupts it. */
  readonly stop: () => Promise<number>;
}

/** Resolves when it listens. */
async function served(
  script: readonly ScriptItem[],
  changes: Partial<Io> = {},
  flags: readonly string[] = [],
): Promise<Served> {
  const controller = new AbortController();
  const listening = Promise.withResolvers<void>();
  const chooseModel = choosing(scriptedProvider(script));
  const io = memoryIo({ chooseModel, signal: controller.signal, ...changes });
  const { write } = io.stderr;
  const stderr = {
    isTTY: false,
    write: (text: string) => {
      write(text);
      if (text.includes("curl")) listening.resolve();
    },
  };
  const ended = run(["serve", "--port", "0", ...flags], { ...io, stderr });
  const stop = (): Promise<number> => {
    controller.abort();
    return ended;
  };
  onTestFinished(() => stop().then(() => {}));
  await Promise.race([listening.promise, ended]);
  const url = /serving the agent of .+ on (\S+)/.exec(io.stderrText())?.[1] ?? "";
  const token = /token: (\S+)/.exec(io.stderrText())?.[1] ?? io.env["CAPSTAN_TOKEN"] ?? "";
  const send: Served["send"] = async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/agent/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const frames = (await response.text()).match(/^data: .*/gm) ?? [];
    return frames.map((line) => JSON.parse(line.slice(6)));
  };
  return { io, url, token, send, stop };
}

test("serve generates a token, prints it once, and accepts clients that send it", async () => {
  const { io, url, token, send, stop } = await served([reply(say("Hello."))]);

  const stranger = await fetch(`${url}/api/agent/sessions`);
  const frames = await send("execute", { input: "Hi" });
  const exitCode = await stop();

  expect(token).toMatch(/^[\w-]{43}$/);
  expect(io.stderrText().split(token)).toHaveLength(2);
  expect(stranger.status).toBe(401);
  expect(frames.at(-1)).toMatchObject({ type: "execute_complete", status: "completed" });
  expect(exitCode).toBe(0);
  expect(io.stderrText()).toMatch(/\ncapstan: closing: .+\n$/);
});

test("a token of the environment is taken, and not printed", async () => {
  const token = "a-token-that-is-long-enough";
  const { io, send } = await served([reply(say("Hello."))], { env: { CAPSTAN_TOKEN: token } });

  const frames = await send("execute", { input: "Hi" });

  expect(frames.at(-1)).toMatchObject({ status: "completed" });
  expect(io.stderrText()).not.toContain(token);
});

test("a token that is none is refused with 2", async () => {
  const io = memoryIo({ env: { CAPSTAN_TOKEN: "short" } });

  const exitCode = await run(["serve", "--offline"], io);

  expect(exitCode).toBe(2);
  expect(io.stderrText()).toContain("capstan: Invalid CAPSTAN_TOKEN");
});

test("calls wait for an approval of the client, and its sessions are those of the folder", async () => {
  const cwd = await temporaryFolder();
  const { io, send, stop } = await served(
    [reply(callTool("write", { path: "made.txt", content: "x" })), reply(say("Made."))],
    { cwd },
  );

  const first = await send("execute", { sessionId: "mine", context: {}, input: "Make it" });
  // The last frame has the calls that wait.
  const [call] = (first.at(-1)?.["pendingToolCalls"] ?? []) as {
    toolCallId: string;
    hash: string;
  }[];
  const answer = { toolCallId: call?.toolCallId, hash: call?.hash, approved: true };
  const rest = await send("execute", { sessionId: "mine", input: [answer] });
  await stop();
  const listed = memoryIo({ home: io.home, cwd });
  await run(["sessions"], listed);

  expect(first.at(-1)).toMatchObject({ status: "awaiting_tool_execution" });
  expect(rest.at(-1)).toMatchObject({ status: "completed" });
  expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  expect(listed.stdoutText()).toMatch(/ done +Make it\n$/);
});

interface Waiting {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly hash: string;
  readonly reason?: string;
}

test("a denied call never comes to the client, and no approval of another one lets it run", async () => {
  const { home } = memoryIo();
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  const config = { permissions: { deny: ["bash(rm *)", "read(.env)"] } };
  await writeFile(join(home, ".config/capstan/config.json"), JSON.stringify(config));
  await writeFile(join(home, "victim.txt"), "");
  await writeFile(join(home, ".env"), "SECRET=1");
  const calls = [
    callTool("bash", { command: "rm victim.txt" }),
    callTool("read", { path: ".env" }),
    callTool("grep", { pattern: "SECRET" }),
    callTool("bash", { command: "touch made.txt" }),
  ];
  const provider = scriptedProvider([reply(...calls), reply(say("Done."))]);
  const { send } = await served([], { home, cwd: home, chooseModel: choosing(provider) });

  const first = await send("execute", { sessionId: "mine", context: {}, input: "Go" });
  // The last frame has the calls that wait.
  const waiting = (first.at(-1)?.["pendingToolCalls"] ?? []) as readonly Waiting[];
  const answers = waiting.map(({ toolCallId, hash }) => ({ toolCallId, hash, approved: true }));
  await send("execute", { sessionId: "mine", input: answers });

  expect(waiting.map(({ toolName, reason }) => [toolName, reason])).toEqual([
    ["bash", "touch made.txt is not allowed by a rule. To allow it: bash(touch made.txt)."],
  ]);
  expect(existsSync(join(home, "victim.txt"))).toBe(true);
  expect(existsSync(join(home, "made.txt"))).toBe(true);
  expect(JSON.stringify(provider.requests)).not.toContain("SECRET=1");
});

test("a rule that is written while the server runs holds from the next call on, and no approval lifts it", async () => {
  const { home } = memoryIo();
  const path = join(home, ".config/capstan/config.json");
  await writeFile(join(home, "victim.txt"), "");
  const script = [
    reply(callTool("bash", { command: "rm victim.txt" })),
    reply(callTool("bash", { command: "rm victim.txt" })),
    reply(say("Done.")),
  ];
  const { send } = await served(script, { home, cwd: home });

  const first = await send("execute", { sessionId: "mine", context: {}, input: "Go" });
  const [call] = (first.at(-1)?.["pendingToolCalls"] ?? []) as readonly Waiting[];
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  await writeFile(path, JSON.stringify({ permissions: { deny: ["bash(rm *)"] } }));
  const answer = { toolCallId: call?.toolCallId, hash: call?.hash, approved: true };
  const rest = await send("execute", { sessionId: "mine", input: [answer] });

  expect(rest.at(-1)).toMatchObject({ status: "completed" });
  expect(existsSync(join(home, "victim.txt"))).toBe(true);
});

test("a later turn is told of the new day and of a changed AGENTS.md, once", async () => {
  const cwd = await temporaryFolder();
  const path = join(cwd, "AGENTS.md");
  await writeFile(path, "RULE-ONE\n");
  const provider = scriptedProvider([reply(say("one")), reply(say("two")), reply(say("three"))]);
  let time = "2030-01-01T23:50:00Z";
  const { send } = await served([], {
    cwd,
    chooseModel: choosing(provider),
    clock: { ...systemClock, now: () => Date.parse(time) },
  });

  await send("execute", { sessionId: "mine", context: {}, input: "First" });
  await writeFile(path, "RULE-TWO\n");
  time = "2030-01-02T00:10:00Z";
  await send("execute", { sessionId: "mine", context: {}, input: "Second" });
  await send("execute", { sessionId: "mine", context: {}, input: "Third" });

  const [first, second, third] = provider.requests.map(({ options, messages }) => ({
    systemPrompt: options.systemPrompt,
    last: messages.flatMap((one) => (one.role === "user" ? [one.content] : [])).at(-1),
  }));
  expect(first?.systemPrompt).toContain(`Working folder: ${cwd}\n`);
  expect(first?.systemPrompt).toContain("Date: 2030-01-01");
  expect(first?.systemPrompt).toContain("RULE-ONE");
  expect(second?.systemPrompt).toBe(first?.systemPrompt);
  expect(second?.last).toContain("RULE-TWO");
  expect(second?.last).toContain("Date: 2030-01-02");
  expect(third?.last).toBe("Third");
});

test("what waits for an approval is decided on by the rules of a command that goes on with it", async () => {
  const cwd = await temporaryFolder();
  const writes = ["a.txt", "b.txt"].map((path) => callTool("write", { path, content: "x" }));
  const { io, send, stop } = await served([reply(...writes)], { cwd });
  const waiting = await send("execute", { input: "Make them" });
  await stop();

  const { exitCode, io: later } = await runScripted(
    ["--continue", "--allow", "write(a.txt)"],
    [reply(say("Made one."))],
    { home: io.home, cwd },
  );

  expect(waiting.at(-1)).toMatchObject({ status: "awaiting_tool_execution" });
  expect({ exitCode, stdout: later.stdoutText() }).toEqual({ exitCode: 4, stdout: "Made one.\n" });
  expect(later.stderrText()).toContain("refused: write b.txt x (allow it with");
  expect(["a.txt", "b.txt"].map((name) => existsSync(join(cwd, name)))).toEqual([true, false]);
});

test.each([
  [[], 403],
  [["--host", "0.0.0.0"], 401],
])("with %j a request that names this machine gets %i", async (flags, status) => {
  const { url } = await served([], {}, flags);

  const asked = request({
    port: new URL(url).port,
    path: "/api/agent/sessions",
    headers: { host: hostname() },
  }).end();
  const [response] = await once(asked, "response");
  response.resume();

  expect(response.statusCode).toBe(status);
});

test("a port that is taken is said, and exits with 1", async () => {
  const { url } = await served([]);
  const io = memoryIo();

  const exitCode = await run(["serve", "--offline", "--port", new URL(url).port], io);

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toMatch(/Cannot listen on 127\.0\.0\.1:\d+: listen EADDRINUSE/);
});
