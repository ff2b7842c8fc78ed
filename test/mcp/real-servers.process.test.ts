/** Servers of others, over stdio and HTTP, as users run them: they work, and they are killed. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "@capstan/core";
import { createAgent, createSession } from "@capstan/core";
import type { McpServerOptions, McpTools, McpToolsOptions } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import type { ScriptItem } from "@capstan/testing";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { missing, pathOf } from "./installed.ts";

const everything = pathOf("@modelcontextprotocol/server-everything/dist/index.js");
const stdio = { command: process.execPath, args: [everything, "stdio"] };

interface World extends AsyncDisposable {
  readonly mcp: McpTools;
  readonly session: Session;
  /** Contents of the results so far. */
  results(): readonly unknown[];
}

function world(
  server: McpServerOptions,
  script: readonly ScriptItem[],
  onElicitation?: McpToolsOptions["onElicitation"],
): World {
  const servers = { real: server };
  const mcp = mcpTools({ servers, waitMs: 20_000, ...(onElicitation && { onElicitation }) });
  const session = createSession({
    agent: createAgent({ model: scriptedProvider(script), toolSources: [mcp] }),
  });
  return {
    mcp,
    session,
    results: () => session.messages.flatMap((m) => (m.role === "tool" ? [m.content] : [])),
    async [Symbol.asyncDispose]() {
      await session.close();
      await mcp.close();
    },
  };
}

/** The server over HTTP, which can be killed and started again on its port. */
async function httpServer(port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [everything, "streamableHttp"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const look = (chunk: unknown): void => {
      output += String(chunk);
      if (output.includes(`listening on port ${port}`)) resolve();
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("exit", () => reject(new Error(`The server ended: ${output}`)));
  });
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Resolves with the first progress of a call. */
function firstProgress(session: Session): Promise<void> {
  return new Promise((resolve) => {
    session.subscribe((event) => {
      if (event.type === "tool_execution_delta") resolve();
    });
  });
}

/** Id of the server's process. Never 0, which would be all processes of the test. */
function pidOf(mcp: McpTools): number {
  const { pid } = mcp.status()[0] ?? {};
  if (pid === undefined) throw new Error("The server does not run");
  return pid;
}

/** Resolves when the next call has started. */
function firstStart(session: Session): Promise<void> {
  return new Promise((resolve) => {
    session.subscribe((event) => {
      if (event.type === "tool_execution_start") resolve();
    });
  });
}

/** Over stdio, which is all that this server speaks. */
function filesystem(folder: string): McpServerOptions {
  const path = pathOf("@modelcontextprotocol/server-filesystem/dist/index.js");
  return { command: process.execPath, args: [path, folder] };
}

const everyKind = [
  reply(
    callTool("real__echo", { message: "Hello" }),
    callTool("real__get-sum", { a: 2, b: 3 }),
    callTool("real__get-tiny-image", {}),
    callTool("real__get-structured-content", { location: "Chicago" }),
    callTool("real__get-resource-links", { count: 1 }),
    callTool("real__echo", { message: 7 }),
  ),
  say("Done"),
];
const slow = (duration: number): ScriptItem =>
  callTool("real__trigger-long-running-operation", { duration, steps: 50 });

describe.skipIf(missing !== undefined)(`real servers${missing ? ` (${missing})` : ""}`, () => {
  test("server-everything over stdio: texts, images, structure, links and errors", async () => {
    await using here = world(stdio, everyKind);

    await here.session.send("Go").response;

    const [echo, sum, image, , links, wrong] = here.results();
    expect({ echo, sum, image, links, wrong }).toMatchObject({
      echo: "Echo: Hello",
      sum: "The sum of 2 and 3 is 5.",
      image: [{ type: "text" }, { type: "image", mediaType: "image/png" }, { type: "text" }],
      links: expect.stringContaining("Resource demo://"),
      wrong: expect.stringMatching(/message/),
    });
    const structured = here.session.messages.filter(({ role }) => role === "tool")[3];
    expect(structured).toMatchObject({
      details: { structuredContent: { temperature: expect.any(Number) } },
    });
    expect(here.mcp.status()).toMatchObject([{ state: "ready", protocolVersion: "2025-11-25" }]);
  });

  test("server-everything over HTTP: the same, with resources and prompts", async () => {
    const port = await freePort();
    const child = await httpServer(port);
    try {
      const script = [
        reply(
          callTool("real__get-sum", { a: 2, b: 3 }),
          callTool("mcp_resources", {}),
          callTool("mcp_prompts", {}),
        ),
        say("Done"),
      ];
      await using here = world({ url: `http://127.0.0.1:${port}/mcp` }, script);

      await here.session.send("Go").response;

      expect(here.results()).toEqual([
        "The sum of 2 and 3 is 5.",
        expect.stringContaining("demo://"),
        expect.stringContaining("simple-prompt"),
      ]);
    } finally {
      await kill(child);
    }
  });

  test("server-filesystem reads a file, and refuses one outside its folder", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "capstan-mcp-")));
    await writeFile(join(folder, "a.txt"), "Ahoy");
    const script = [
      reply(
        callTool("real__read_text_file", { path: join(folder, "a.txt") }),
        callTool("real__read_text_file", { path: "/etc/hostname" }),
      ),
      say("Done"),
    ];
    try {
      await using here = world(filesystem(folder), script);

      await here.session.send("Go").response;

      expect(here.results()).toEqual(["Ahoy", expect.stringMatching(/access denied/i)]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("a process that gets no variable of ours beyond the harmless ones", async () => {
    process.env["CAPSTAN_TEST_SECRET"] = "secret";
    try {
      const script = [callTool("real__get-env", {}), say("Done")];
      await using here = world({ ...stdio, env: { MINE: "yes" } }, script);

      await here.session.send("Go").response;

      expect(here.results()[0]).toContain('"MINE": "yes"');
      expect(here.results()[0]).not.toContain("secret");
    } finally {
      delete process.env["CAPSTAN_TEST_SECRET"];
    }
  });

  test("a question within a call of an older server is answered by the callback, or declined", async () => {
    const script = [callTool("real__trigger-elicitation-request", {}), say("Done")];
    const asked: unknown[] = [];
    await using answered = world(stdio, script, async (question) => {
      asked.push(question);
      return { action: "accept", content: { name: "Ada" } };
    });
    await using declined = world(stdio, script);

    await answered.session.send("Go").response;
    await declined.session.send("Go").response;

    expect(asked).toMatchObject([{ server: "real", mode: "form", schema: { type: "object" } }]);
    expect(answered.results()[0]).toContain("Name: Ada");
    expect(declined.results()[0]).toContain("declined");
  });

  test("a process that is killed between two turns is started again", async () => {
    const script = [
      callTool("real__echo", { message: "1" }),
      say("One"),
      callTool("real__echo", { message: "2" }),
      say("Two"),
    ];
    await using here = world(stdio, script);
    await here.session.send("First").response;
    const [before] = here.mcp.status();

    process.kill(pidOf(here.mcp), "SIGKILL");
    await here.session.send("Second").response;

    expect(here.results()).toEqual(["Echo: 1", "Echo: 2"]);
    expect(here.mcp.status()[0]?.pid).not.toBe(before?.pid);
  });

  test("a process that is killed during a call: its outcome is unknown, and the next call works", async () => {
    const script = [slow(60), callTool("real__echo", { message: "2" }), say("Done")];
    await using here = world(stdio, script);
    const progress = firstProgress(here.session);
    const turn = here.session.send("Go");
    await progress;

    process.kill(pidOf(here.mcp), "SIGKILL");
    await turn.response;

    expect(here.results()).toEqual([
      expect.stringMatching(/was lost during the call.*outcome of the call is unknown/),
      "Echo: 2",
    ]);
  });

  test("a process that is killed during a call that may be repeated: the call runs again", async () => {
    await using here = world({ ...stdio, trustAnnotations: true }, [slow(1), say("Done")]);
    const progress = firstProgress(here.session);
    const turn = here.session.send("Go");
    await progress;

    process.kill(pidOf(here.mcp), "SIGKILL");
    await turn.response;

    expect(here.results()).toEqual([expect.stringContaining("completed")]);
  });

  test("an HTTP server that is killed and started again between two turns gets a new session", async () => {
    const port = await freePort();
    const first = await httpServer(port);
    const script = [
      callTool("real__echo", { message: "1" }),
      say("One"),
      callTool("real__echo", { message: "2" }),
      say("Two"),
    ];
    await using here = world({ url: `http://127.0.0.1:${port}/mcp` }, script);
    await here.session.send("First").response;
    await kill(first);

    const second = await httpServer(port);
    try {
      await here.session.send("Second").response;

      expect(here.results()).toEqual(["Echo: 1", "Echo: 2"]);
    } finally {
      await kill(second);
    }
  });

  test("an HTTP server that is killed during a call: its outcome is unknown", async () => {
    const port = await freePort();
    const child = await httpServer(port);
    const script = [slow(60), say("One"), callTool("real__echo", { message: "2" }), say("Two")];
    await using here = world({ url: `http://127.0.0.1:${port}/mcp` }, script);
    const progress = firstProgress(here.session);
    const turn = here.session.send("Go");
    await progress;

    await kill(child);
    await turn.response;
    const second = await httpServer(port);
    try {
      await here.session.send("And now").response;

      expect(here.results()).toEqual([
        expect.stringMatching(/outcome of the call is unknown/),
        "Echo: 2",
      ]);
    } finally {
      await kill(second);
    }
  });

  test("server-filesystem that is killed between two turns and during a write: the write is not repeated", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "capstan-mcp-")));
    const path = join(folder, "a.txt");
    const write = (content: string): ScriptItem => callTool("real__write_file", { path, content });
    const script = [write("1"), say("One"), write("2"), say("Two"), write("3"), say("Three")];
    const read = callTool("real__read_text_file", { path });
    try {
      await using here = world(filesystem(folder), [...script, read, say("Four")]);
      await here.session.send("First").response;
      process.kill(pidOf(here.mcp), "SIGKILL");
      // Its end is noticed: a call into a pipe that is about to break has an unknown outcome.
      await expect.poll(() => here.mcp.status()[0]?.pid).toBeUndefined();
      await here.session.send("Second").response;
      const pid = pidOf(here.mcp);
      // A process that is stopped takes the call and does not answer: it is killed in the middle.
      const started = firstStart(here.session);
      process.kill(pid, "SIGSTOP");
      const turn = here.session.send("Third");
      await started;
      process.kill(pid, "SIGKILL");
      await turn.response;
      await here.session.send("Fourth").response;

      expect(here.results()).toEqual([
        expect.stringContaining("Successfully wrote"),
        expect.stringContaining("Successfully wrote"),
        expect.stringMatching(/outcome of the call is unknown/),
        "2",
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
