/** A standby takes the place of a PostgreSQL that was lost. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import { isRepositoryError } from "@capstan/log";
import { postgres } from "@capstan/stores/postgres";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { failureOf } from "./failure-of.ts";
import { startPostgres } from "./postgres-server.ts";
import { entry, readAll } from "./samples.ts";

const server = await startPostgres();

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

/** An agent whose tool waits to be let through. */
function prepare(url: string) {
  const store = postgres(url, { timeoutMs: 3_000 });
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    execute: async () => {
      begun.resolve();
      await gate.promise;
      return "seen";
    },
  });
  const model = scriptedProvider([callTool("look"), say("first"), say("second")]);
  const agent = createAgent({ name: "helper", model, tools: [look] });
  const host = createHost({ agents: [agent], repository: store, pollMs: 50, onError() {} });
  onTestFinished(async () => {
    await host.close();
    await store.close();
  });
  return { store, host, begun: begun.promise, letGo: gate.resolve };
}

test("sessions go on when a standby is promoted: the turn under way, and the next", async ({
  skip,
}) => {
  if (typeof server === "string" || server.process === undefined) {
    skip(typeof server === "string" ? server : "the server of DATABASE_URL is not ours to replace");
    return;
  }
  const { store, host, begun, letGo } = prepare(server.url);
  const session = host.createSession({ agent: "helper", id: "s" });
  const turn = session.send("Look");
  await begun;

  await server.process.replaceByStandby();
  // It can be read, once the store has connected again.
  const whileStandby = await vi.waitFor(() => readAll(store, "s"), { timeout: 20_000 });
  const refused = await failureOf(() => store.post("s", entry("p1")));
  letGo();
  await server.process.promote();
  const { status } = await turn.response;
  const next = await session.send("And now?").response;

  expect(whileStandby.at(-1)?.type).toBe("tool_intent");
  expect(refused).toSatisfy(isRepositoryError);
  expect(refused).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("standby"),
  });
  expect(status).toBe("completed");
  expect(next).toMatchObject({ status: "completed", text: "second" });
  const types = (await readAll(store, "s")).map(({ type }) => type);
  expect(types.filter((type) => type === "tool_intent")).toHaveLength(1);
  expect(types.filter((type) => type === "tool_result")).toHaveLength(1);
});
