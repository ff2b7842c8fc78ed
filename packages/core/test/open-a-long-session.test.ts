/** Opening a session with a long log. */
import { createAgent, createHost } from "@capstan/core";
import type { HistoryMessage } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { scriptedProvider } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";

/** A store elsewhere, which answers later, and the number of entries that each read asked for. */
function elsewhere(store: SessionRepository): [SessionRepository, number[]] {
  const limits: number[] = [];
  const repository: SessionRepository = {
    ...store,
    async read(id, options) {
      limits.push(options?.limit ?? Infinity);
      return store.read(id, options);
    },
  };
  return [repository, limits];
}

test("a log of 10,000 entries is read in few round trips, and other work runs in between", async () => {
  const agent = createAgent({ name: "helper", model: scriptedProvider([]) });
  const store = memoryRepository();
  const writer = createHost({ agents: [agent], repository: store });
  onTestFinished(() => writer.close());
  const session = writer.createSession({ agent: "helper", id: "long" });
  const last: HistoryMessage[] = [{ role: "user", content: "The last" }];
  for (let count = 2; count < 10_000; count += 1) await session.loadHistory([]);
  await session.loadHistory(last);
  const [repository, limits] = elsewhere(store);
  let pauses = 0;
  const clock = {
    now: () => 0,
    timer: () => () => {},
    breathe: async () => {
      pauses += 1;
    },
  };
  const host = createHost({ agents: [agent], repository, clock });
  onTestFinished(() => host.close());

  const opened = await host.open("long");

  expect(opened.messages).toMatchObject(last);
  expect(limits).toEqual([256, 1_024, 4_096, 4_096, 4_096]);
  expect(pauses).toBeGreaterThan(30);
});
