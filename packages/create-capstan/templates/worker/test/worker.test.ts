import assert from "node:assert/strict";
import { test } from "node:test";
import { createHost, memoryRepository } from "@capstan/core";
import { postgres } from "@capstan/stores/postgres";
import { callTool, say, scriptedProvider, stall } from "@capstan/testing";
import { createAssistant } from "../src/agent.ts";
import { handOver } from "../src/hand-over.ts";

// The contract of both stores is the same. To test on PostgreSQL, set DATABASE_URL.
const url = process.env["DATABASE_URL"];
const where = url === undefined ? "in memory" : "in PostgreSQL";

test(`a worker answers a message that another process has stored ${where}`, async () => {
  const store = url === undefined ? memoryRepository() : postgres(url);
  const id = `trip-${crypto.randomUUID()}`;
  const text = "What should I wear in Oslo?";
  await handOver(store, { id, text, agent: createAssistant(scriptedProvider([stall()])) });

  const model = scriptedProvider([callTool("weather", { city: "Oslo" }), say("Sunglasses.")]);
  const worker = createHost({ agents: [createAssistant(model)], repository: store });
  const session = await worker.open(id);
  await session.waitForIdle();

  assert.equal(session.status, "completed");
  assert.deepEqual(
    session.messages.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant"],
  );
  await worker.close();
  if ("close" in store) await store.close();
});
