/** MCP servers of the configuration: their tools, the rules about them, and what is said about those that fail. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ScriptedProvider } from "@capstan/testing";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "./memory-io.ts";
import { runScripted } from "./scripted-io.ts";

const bank = join(import.meta.dirname, "../../../examples/mcp-server/bank.ts");
const server = { command: process.execPath, args: [bank], mode: "auto" };

/** A home whose folder is the project, too. */
async function homeWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const home = await temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), JSON.stringify(content));
  }
  return home;
}

const userFile = ".config/capstan/config.json";
const mcpOf = (servers: object): object => ({ mcp: { servers } });

function toolsOf({ requests }: ScriptedProvider): readonly string[] {
  return (requests[0]?.tools ?? []).filter((name) => name.includes("__"));
}

test("A server that fails is named, and the rest works", async () => {
  const broken = { command: join(import.meta.dirname, "no-such-program") };
  const home = await homeWith({ [userFile]: mcpOf({ broken, bank: server }) });
  const { exitCode, io, provider } = await runScripted(["hello"], [say("Hi.")], { home });
  expect(io.stderrText()).toContain('"broken"');
  expect(exitCode).toBe(0);
  expect(toolsOf(provider)).toEqual(["bank__transfer"]);
});

test("A disabled server, and one whose variable is not set, are not started", async () => {
  const needing = { ...server, env: { TOKEN: "${NO_SUCH_TOKEN}" } };
  const servers = { off: { ...server, disabled: true }, needing };
  const home = await homeWith({ [userFile]: mcpOf(servers) });
  const { io, provider } = await runScripted(["hello"], [say("Hi.")], { home });
  expect(toolsOf(provider)).toEqual([]);
  expect(io.stderrText()).toContain('"needing" is not started: NO_SUCH_TOKEN is not set');
});

test("A call of a server's tool needs a rule, and the hint names the declaration", async () => {
  const home = await homeWith({ [userFile]: mcpOf({ bank: server }) });
  const script = [callTool("bank__transfer", { amount: 5 }), say("No.")];
  const { exitCode, io } = await runScripted(["pay"], script, { home });
  expect(exitCode).toBe(4);
  expect(io.stderrText()).toMatch(/allow it with --allow 'bank__transfer@[0-9a-f]{12}'/);
});

test("A rule denies a server as a whole", async () => {
  const home = await homeWith({ [userFile]: mcpOf({ bank: server }) });
  const script = [callTool("bank__transfer", { amount: 5 }), say("No.")];
  const denied = ["--allow", "*", "--deny", "mcp__bank", "pay"];
  const { exitCode, io } = await runScripted(denied, script, { home });
  expect(exitCode).toBe(4);
  expect(io.stderrText()).toContain("denied by the rule mcp__bank");
});

test("With a search, rules decide about the tool that is called, and only its name is shown", async () => {
  const mcp = { servers: { bank: server }, toolSearch: "always" };
  const home = await homeWith({ [userFile]: { mcp } });
  const call = callTool("mcp_call", { name: "bank__transfer", arguments: { amount: 5 } });
  const script = [callTool("mcp_search", { query: "money" }), call, say("No.")];
  const asked = await runScripted(["pay"], script, { home });
  expect(asked.provider.requests[0]?.tools).not.toContain("bank__transfer");
  expect(asked.exitCode).toBe(4);
  expect(asked.io.stderrText()).toMatch(/allow it with --allow 'bank__transfer@[0-9a-f]{12}'/);

  const denying = ["--allow", "*", "--deny", "mcp__bank", "pay"];
  const denied = await runScripted(denying, script, { home });
  expect(denied.exitCode).toBe(4);
  expect(denied.io.stderrText()).toContain("denied by the rule mcp__bank");
  expect(denied.io.stderrText()).not.toContain("mcp_call");
});

test("Servers of .mcp.json are started once the file is trusted, and not after it changed", async () => {
  const { mode: _, ...own } = server;
  const home = await homeWith({ ".mcp.json": { mcpServers: { bank: { type: "stdio", ...own } } } });
  const first = await runScripted(["hello"], [say("Hi.")], { home });
  expect(toolsOf(first.provider)).toEqual([]);
  expect(first.io.stderrText()).toMatch(
    /MCP servers are not started: bank\. Read it, then use --trust/,
  );
  const trusting = await runScripted(["--trust", "hello"], [say("Hi.")], { home });
  expect(toolsOf(trusting.provider)).toEqual(["bank__transfer"]);
  const later = await runScripted(["hello"], [say("Hi.")], { home });
  expect(toolsOf(later.provider)).toEqual(["bank__transfer"]);
  await writeFile(join(home, ".mcp.json"), JSON.stringify({ mcpServers: { other: own } }));
  const changed = await runScripted(["hello"], [say("Hi.")], { home });
  expect(toolsOf(changed.provider)).toEqual([]);
  expect(changed.io.stderrText()).toContain("it changed since you trusted it");
});
