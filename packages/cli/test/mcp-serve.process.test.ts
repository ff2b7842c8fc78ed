/** `capstan mcp serve`, as a client starts it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test, vi } from "vitest";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { choosing } from "./scripted-io.ts";

const program = join(import.meta.dirname, "..", "src", "main.ts");
const command = [
  process.execPath,
  "--conditions=@capstan/source",
  program,
  "mcp",
  "serve",
] as const;

test.each(["legacy", "auto"] as const)(
  "a client starts it over stdio, in mode %s, and asks the agent of the folder",
  async (mode) => {
    const folder = await temporaryFolder();
    const home = await temporaryFolder();
    const [node, ...args] = [...command, "--offline", "--cwd", folder];
    const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
    const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
    await client.connect(new StdioClientTransport({ command: node, args, env, stderr: "ignore" }));

    const { tools } = await client.listTools();
    const result = await client.callTool({ name: "capstan", arguments: { prompt: "hello" } });
    await client.close();

    expect(tools.map(({ name }) => name)).toEqual(["capstan"]);
    expect(JSON.stringify(result.content)).toContain("This folder is empty.");
  },
);

interface Served {
  readonly url: string;
  readonly token: string;
  stop(): Promise<number>;
}

async function servedOverHttp(cwd: string): Promise<Served> {
  const controller = new AbortController();
  const script = [callTool("bash", { command: "touch made" }), say("done")];
  const chooseModel = choosing(scriptedProvider(script));
  const io = memoryIo({ chooseModel, signal: controller.signal, cwd });
  const ended = run(["mcp", "serve", "--http", "--port", "0"], io);
  const stop = (): Promise<number> => {
    controller.abort();
    return ended;
  };
  onTestFinished(() => stop().then(() => {}));
  const found = await vi.waitFor(() => {
    const url = /on (http:\S+)/.exec(io.stderrText())?.[1];
    const token = /token: (\S+)/.exec(io.stderrText())?.[1];
    if (url === undefined || token === undefined) throw new Error(io.stderrText());
    return { url, token };
  }, 30_000);
  expect(io.stdoutText()).toBe("");
  return { ...found, stop };
}

async function connect({ url, token }: Served, isAsked: boolean): Promise<Client> {
  const client = new Client(
    { name: "t", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      capabilities: isAsked ? { elicitation: { form: {} } } : {},
    },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

test("over HTTP, with the token, the user of the client is asked what a terminal would ask", async () => {
  const served = await servedOverHttp(await temporaryFolder());
  const client = await connect(served, true);
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "decline" };
  });

  const result = await client.callTool({ name: "capstan", arguments: { prompt: "make" } });
  const nobody = await fetch(served.url, { method: "POST", body: "{}" });

  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("touch made");
  expect(JSON.stringify(result.content)).toContain("done");
  expect(nobody.status).toBe(401);
  expect(await served.stop()).toBe(0);
});

test("a client that cannot ask gets an answer: calls that no rule allows are refused", async () => {
  const served = await servedOverHttp(await temporaryFolder());
  const client = await connect(served, false);

  const result = await client.callTool({ name: "capstan", arguments: { prompt: "make" } });

  expect(result.isError).toBeUndefined();
  expect(JSON.stringify(result.content)).toContain("done");
});

test.each([
  [["--port", "1"], "--port needs --http"],
  [["--http", "--port", "x"], "--port must be a number"],
  [["extra"], "Usage: capstan mcp serve"],
  [[], "let an MCP client start it"],
])("mcp serve %j is refused", async (args, message) => {
  const io = memoryIo({ chooseModel: choosing(scriptedProvider([])) });

  expect(await run(["mcp", "serve", ...args], io)).toBe(2);
  expect(io.stderrText()).toContain(message);
});

test("options of serve are refused for other verbs", async () => {
  const io = memoryIo({});

  expect(await run(["mcp", "list", "--http"], io)).toBe(2);
  expect(io.stderrText()).toContain("--http does not apply to mcp list");
});

test("stdout has nothing but the protocol, and the end of stdin ends the process", async () => {
  const folder = await temporaryFolder();
  const [node, ...args] = [...command, "--offline", "--cwd", folder];
  const child = spawn(node, args, { env: { ...process.env, HOME: folder } });
  const ended = once(child, "exit");
  child.stdin.write(`not json\n${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);

  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    child.stdin.end();
  }

  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { jsonrpc: "2.0", id: 1, result: {} },
  ]);
  expect(await ended).toEqual([0, null]);
});
