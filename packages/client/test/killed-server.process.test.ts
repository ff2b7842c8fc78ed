/** Servers that are killed in the middle of a turn: the client finishes without help. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lendTool } from "@capstan/client";
import type { SessionEvent } from "@capstan/log";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { PostgresServer } from "../../stores/test/postgres-server.ts";
import { startPostgres } from "../../stores/test/postgres-server.ts";
import { client } from "./transports.ts";

/** A process takes its time to start. */
const patient = { baseDelayMs: 5, maxDelayMs: 50, maxAttempts: 1_000 };

async function start(store: string, script: string, port = 0) {
  const child = fork(
    join(import.meta.dirname, "served-process.ts"),
    [store, script, String(port)],
    { execArgv: ["--conditions=@capstan/source"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const [ready] = (await once(child, "message")) as [{ readonly port: number }];
  return {
    port: ready.port,
    url: `http://127.0.0.1:${ready.port}`,
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "sessions.db");
}

/** Reads on, and calls back at the first event of this type. */
async function readThrough(
  events: AsyncIterable<SessionEvent>,
  type: SessionEvent["type"],
  then: () => Promise<unknown>,
): Promise<readonly SessionEvent[]> {
  const seen: SessionEvent[] = [];
  let rest: Promise<unknown> | undefined;
  for await (const event of events) {
    seen.push(event);
    if (event.type === type) rest ??= then();
  }
  await rest;
  return seen;
}

test("the server is killed while it replies, and another one comes up at its place", async () => {
  const path = database();
  const first = await start(path, "stuck");
  const session = client(first.url, { retry: patient }).session("chat");
  const turn = session.send("Hi", { id: "t1" });

  const events = await readThrough(turn, "text_delta", async () => {
    await first.kill();
    await start(path, "whole", first.port);
  });
  const response = await turn.response;

  expect(response).toMatchObject({ status: "completed", text: "Whole" });
  expect(events.map(({ type }) => type)).toContain("attempt_discarded");
  expect(events.filter(({ type }) => type === "turn_start")).toHaveLength(1);
  expect((await session.refresh()).messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("the server is killed while the client runs a tool for it: the answer arrives at the next one", async () => {
  const path = database();
  const first = await start(path, "picking");
  const runs: string[] = [];
  const killed = Promise.withResolvers<void>();
  const pick = lendTool({
    name: "pick",
    description: "Picks",
    input: { type: "object" },
    async execute(_, { toolCallId }) {
      runs.push(toolCallId);
      await first.kill();
      killed.resolve();
      return "picked";
    },
  });
  const session = client(first.url, { tools: [pick], retry: patient }).session("chat");
  const turn = session.send("Hi");

  await killed.promise;
  await start(path, "whole", first.port);
  const { text, messages } = await turn.response;

  expect(text).toBe("Whole");
  expect(messages[1]).toMatchObject({ role: "tool", content: "picked" });
  expect(runs).toHaveLength(1);
});

const postgres = await startPostgres(["fsync=off"]);
const reason = typeof postgres === "string" ? postgres : undefined;
afterAll(() => (typeof postgres === "string" ? undefined : postgres.stop()));

test("two servers on one PostgreSQL: the one that runs the turn is killed, and the other one goes on", async ({
  skip,
}) => {
  skip(reason !== undefined, reason);
  const { url } = postgres as PostgresServer;
  const here = await start(url, "stuck");
  const there = await start(url, "whole");
  const session = client([here.url, there.url], { retry: patient }).createSession();
  const turn = session.send("Hi");

  const events = await readThrough(turn, "text_delta", () => here.kill());
  const response = await turn.response;

  expect(response).toMatchObject({ status: "completed", text: "Whole" });
  expect(events.filter(({ type }) => type === "turn_end")).toHaveLength(1);
  expect((await session.refresh()).status).toBe("completed");
});
