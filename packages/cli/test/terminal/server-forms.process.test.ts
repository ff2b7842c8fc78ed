/** Questions of MCP servers: forms in the terminal, and left open without one. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../memory-io.ts";
import { runScripted } from "../scripted-io.ts";
import { key, openConversation } from "./headless.ts";

const bank = join(import.meta.dirname, "../../../../examples/mcp-server/bank.ts");

async function homeWithBank(): Promise<string> {
  const home = await temporaryFolder();
  const server = { command: process.execPath, args: [bank], mode: "auto" };
  const settings = { mcp: { servers: { bank: server } }, permissions: { allow: ["mcp__bank"] } };
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  await writeFile(join(home, ".config/capstan/config.json"), JSON.stringify(settings));
  return home;
}

const asking = fileURLToPath(new URL("../fixtures/asking-server.ts", import.meta.url));

async function homeWithAsking(): Promise<string> {
  const home = await temporaryFolder();
  const server = { command: process.execPath, args: [asking] };
  const mcp = { servers: { seats: server } };
  const settings = { mcp, permissions: { allow: ["mcp__seats"] } };
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  await writeFile(join(home, ".config/capstan/config.json"), JSON.stringify(settings));
  return home;
}

const book = callTool("seats__book", {});

const transfer = callTool("bank__transfer", { amount: 5 });

test("A form is asked in the terminal, and its answer reaches the server", async () => {
  const home = await homeWithBank();
  const terminal = openConversation([transfer, say("Done.")], { home, cwd: home });
  await terminal.shows("Try:");
  terminal.type("pay");
  terminal.type(key.enter);
  await terminal.shows("The MCP server bank asks");
  expect(terminal.window().join("\n")).toContain("Which account?");
  terminal.type(key.enter);
  await terminal.shows("An answer is required.");
  terminal.type("Ada");
  terminal.type(key.enter);
  await terminal.shows("Done.");
  const sent = JSON.stringify(terminal.provider.requests[1]?.messages);
  expect(sent).toContain("Transferred 5 to Ada");
});

test("Without a terminal the question stays open, until a new prompt cancels it", async () => {
  const home = await homeWithBank();
  const first = await runScripted(["pay"], [transfer], { home });
  expect(first.exitCode).toBe(4);
  expect(first.io.stderrText()).toContain("the MCP server bank asks: Which account?");
  expect(first.io.stderrText()).toContain("capstan --continue");
  const again = await runScripted(["--continue"], [], { home });
  expect(again.exitCode).toBe(4);
  expect(again.io.stderrText()).toContain("the MCP server bank asks: Which account?");
  const script = [say("Not paid."), say("Hello.")];
  const later = await runScripted(["--continue", "forget it"], script, { home });
  expect(later.io.stdoutText()).toContain("Hello.");
});

test("A question of an older server is asked within its call, again if the answer does not fit", async () => {
  const home = await homeWithAsking();
  const terminal = openConversation([book, say("Done.")], { home, cwd: home });
  await terminal.shows("Try:");
  terminal.type("book");
  terminal.type(key.enter);
  await terminal.shows("The MCP server seats asks");
  expect(terminal.window().join("\n")).toContain("Which seat?");
  terminal.type("A");
  terminal.type(key.enter);
  await terminal.shows("seat: ");
  terminal.type("12A");
  terminal.type(key.enter);
  await terminal.shows("Done.");
  const sent = JSON.stringify(terminal.provider.requests[1]?.messages);
  expect(sent).toContain(String.raw`\"content\":{\"seat\":\"12A\"}`);
});

test("A question of an older server can be left with escape", async () => {
  const home = await homeWithAsking();
  const terminal = openConversation([book, say("Done.")], { home, cwd: home });
  await terminal.shows("Try:");
  terminal.type("book");
  terminal.type(key.enter);
  await terminal.shows("The MCP server seats asks");
  terminal.type(key.escape);
  await terminal.shows("Done.");
  expect(JSON.stringify(terminal.provider.requests[1]?.messages)).toContain("cancel");
});

test("Without a terminal a question of an older server is declined, with a message", async () => {
  const home = await homeWithAsking();
  const { io, provider } = await runScripted(["book"], [book, say("No seat.")], { home });
  expect(io.stderrText()).toContain(
    "declined a question of the MCP server seats, which only a terminal can ask: Which seat?",
  );
  expect(JSON.stringify(provider.requests[1]?.messages)).toContain("decline");
});
