/** Programs that a newcomer writes first, each run as processes of its own on a SQLite file. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-first-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(program: string, ...words: readonly string[]) {
  const source = ["--conditions=@capstan/source", "--input-type=module", "--eval", program];
  const args = ["--disable-warning=ExperimentalWarning", ...source, "--", ...words];
  return spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: "utf8",
    timeout: 30_000,
  });
}

const imports = `
  import { appendFileSync } from "node:fs";
  import { createAgent, createHost, defineTool } from "@capstan/core";
  import { sqlite } from "@capstan/stores/sqlite";
  import { callTool, say, scriptedProvider } from "@capstan/testing";
  const [folder, ...words] = process.argv.slice(1);
  const store = sqlite(folder + "/sessions.db");
  const pay = (more) => defineTool({
    name: "pay", description: "Pays", input: { type: "object" },
    execute: () => {
      appendFileSync(folder + "/effects", "paid\\n");
      if (words.includes("dies")) process.kill(process.pid, "SIGKILL");
      return "paid";
    },
    ...more,
  });
`;

const chat = `${imports}
  const script = words.includes("dies")
    ? [callTool("pay", {})]
    : [say("I do not know whether it was paid."), say("Look at your account.")];
  const agent = createAgent({ name: "helper", model: scriptedProvider(script), tools: [pay({})] });
  const host = createHost({ agents: [agent], repository: store });
  const session = await host.session("chat", { agent: "helper" });
  console.log(await session.run(words[0]));
  for (const { role, content } of session.messages) if (role === "tool") console.log(content);
  await host.close();
  await store.close();
`;

test("a chat whose process is killed in a tool goes on when it is started again, and pays once", () => {
  const folder = temporaryFolder();

  const killed = run(chat, folder, "Pay the bill", "dies");
  const again = run(chat, folder, "What happened?");

  expect(killed.signal).toBe("SIGKILL");
  expect(again.stderr).toBe("");
  expect(again.stdout).toContain("Look at your account.");
  expect(again.stdout).toContain("outcome is unknown");
  expect(readFileSync(join(folder, "effects"), "utf8")).toBe("paid\n");
});

const approval = `${imports}
  const script = words[0] === "ask" ? [callTool("pay", { amount: 5 })] : [say("Done.")];
  const tools = [pay({ needsApproval: true })];
  const agent = createAgent({ name: "helper", model: scriptedProvider(script), tools });
  const host = createHost({ agents: [agent], repository: store });
  const session = await host.session("chat", { agent: "helper" });
  if (words[0] === "ask") console.log((await session.send("Pay").response).status);
  if (words[0] === "blind") console.log((await session.approve(words[1]).response).error?.code);
  if (words[0] === "list") console.log(session.pendingToolCalls[0].toolCallId);
  if (words[0] === "approve") {
    const [call] = session.pendingToolCalls;
    console.log(JSON.stringify(call.input), (await session.approve(call.toolCallId).response).text);
  }
  await host.close();
  await store.close();
`;

test("a call that one process asks about is approved in another, which has seen it", () => {
  const folder = temporaryFolder();

  const asked = run(approval, folder, "ask");
  const listed = run(approval, folder, "list");
  const blind = run(approval, folder, "blind", listed.stdout.trim());
  const approved = run(approval, folder, "approve");

  expect(asked.stdout).toBe("awaiting_tool_execution\n");
  expect(blind.stdout).toBe("not_shown\n");
  expect(approved.stdout).toBe('{"amount":5} Done.\n');
  expect(readFileSync(join(folder, "effects"), "utf8")).toBe("paid\n");
});
