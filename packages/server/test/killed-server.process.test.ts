/** A server that is killed in the middle of a turn, and another one on the same database. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { StreamReader, typesOf } from "./sse.ts";

const headers = {
  authorization: "Bearer ann-0123456789abcdef",
  "content-type": "application/json",
};

async function start(path: string, script: string) {
  const child = fork(join(import.meta.dirname, "served-process.ts"), [path, script], {
    execArgv: ["--conditions=@capstan/source"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  const url = `http://127.0.0.1:${port}`;
  return {
    post: (address: string, body: object): Promise<Response> =>
      fetch(`${url}${address}`, { method: "POST", headers, body: JSON.stringify(body) }),
    get: (address: string, more: object = {}): Promise<Response> =>
      fetch(`${url}${address}`, { headers: { ...headers, ...more } }),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-server-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "sessions.db");
}

test("a reader comes back to the next server with its place, and the turn comes to its end there", async () => {
  const path = database();
  const first = await start(path, "stuck");
  const body = { sessionId: "chat", input: "Hi", id: "t1", context: {} };
  const running = new StreamReader(await first.post("/api/agent/execute", body));
  const { id = "" } = await running.until("text_delta");
  await first.post("/api/agent/session/chat/follow-up", { input: "And then?", id: "f1" });
  await first.kill();
  // The killed server cuts the stream.
  await running.rest().catch(() => {});

  const second = await start(path, "whole");
  const events = await second.get("/api/agent/session/chat/events", { "last-event-id": id });
  const reader = new StreamReader(events);
  await reader.until("turn_end");
  await reader.until("turn_end");
  const again = await Array.fromAsync((await second.post("/api/agent/execute", body)).body ?? []);

  const told = typesOf(reader.seen);
  expect(told).toContain("attempt_discarded");
  expect(new Set(reader.seen.map(({ id }) => id)).size).toBe(told.length);
  expect(JSON.stringify(reader.seen)).toContain("Whole");
  expect(Buffer.concat(again).toString()).toContain("execute_complete");
  const session = (await (await second.get("/api/agent/session/chat")).json()) as {
    readonly messages: readonly { readonly role: string }[];
  };
  expect(session.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("a tool that was running is not run again: the model is told that nobody knows", async () => {
  const path = database();
  const first = await start(path, "paying");
  const running = new StreamReader(
    await first.post("/api/agent/execute", { sessionId: "bill", input: "Pay", context: {} }),
  );
  await running.until("tool_execution_delta");
  await first.kill();
  // The killed server cuts the stream.
  await running.rest().catch(() => {});

  const second = await start(path, "whole");
  const events = await second.get("/api/agent/session/bill/events?after=0.0");
  const reader = new StreamReader(events);
  const result = await reader.until("tool_execution_end");
  await reader.until("turn_end");

  expect(result.data).toMatchObject({ toolName: "pay", isError: true });
  expect(typesOf(reader.seen)).not.toContain("tool_execution_start");
  expect(JSON.stringify(reader.seen)).toContain("Whole");
});
