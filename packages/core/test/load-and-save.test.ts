import { createAgent, createHost, defineTool } from "@capstan/core";
import type { ProviderRequest } from "@capstan/kernel";
import type { LoadAndSave } from "@capstan/log";
import { fromLoadAndSave } from "@capstan/log";
import {
  assertValidTranscript,
  callTool,
  manualClock,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { savedTexts } from "../../log/test/saved-texts.ts";

/** Storage of a process that dies at its n-th save: the save happens or not, and nothing answers any more. */
function dyingAt(n: number, side: "before" | "after", texts: Map<string, string>) {
  const storage = savedTexts(texts);
  const died = Promise.withResolvers<void>();
  let saves = 0;
  const save: LoadAndSave["save"] = async (id, session) => {
    saves += 1;
    if (saves < n || (saves === n && side === "after")) await storage.save(id, session);
    if (saves < n) return;
    died.resolve();
    await new Promise<never>(() => {});
  };
  return { storage: { ...storage, save }, died: died.promise };
}

/** Calls the tool for the first message. */
function answer({ messages }: ProviderRequest) {
  if (messages.at(-1)?.role === "tool") return say("Done.");
  return messages.length === 1 ? callTool("pay") : say("Fine.");
}

/** Starts a process on the storage. All processes pay into the same list. */
function start(storage: LoadAndSave, payments: string[]) {
  const clock = manualClock();
  const pay = defineTool({
    name: "pay",
    description: "Pays the bill",
    input: { type: "object" },
    execute: (_, { idempotencyKey }) => {
      payments.push(idempotencyKey);
      return "Paid.";
    },
  });
  const model = scriptedProvider([answer, answer, answer, answer]);
  const agents = [createAgent({ name: "helper", model, tools: [pay] })];
  const repository = fromLoadAndSave(storage, { now: clock.now });
  const host = createHost({ agents, repository, clock });
  return { host, open: () => host.session("s", { agent: "helper" }) };
}

/** More than a turn with one call needs. */
const manySaves = 12;
const deaths = Array.from({ length: manySaves }, (_, index) => index + 1).flatMap((n) => [
  { n, side: "before" as const },
  { n, side: "after" as const },
]);

test.each(deaths)(
  "a process that dies $side save $n is replaced at once, and nothing runs twice",
  async ({ n, side }) => {
    const texts = new Map<string, string>();
    const payments: string[] = [];
    const { storage, died } = dyingAt(n, side, texts);
    const dying = start(storage, payments);
    const turn = dying.open().then((session) => session.send("Pay the bill").response);
    await Promise.race([died, turn]);

    const { host, open } = start(savedTexts(texts), payments);
    const session = await open();
    const { status } = await session.send("And now?").response;

    expect(status).toBe("completed");
    expect(payments.length).toBeLessThanOrEqual(1);
    assertValidTranscript(session.messages);
    await host.close();
  },
);

test("a turn with one call has fewer saves than a process can die at here", async () => {
  const texts = new Map<string, string>();
  const storage = savedTexts(texts);
  let saves = 0;
  const { host, open } = start(
    {
      ...storage,
      save: (id, session) => {
        saves += 1;
        return storage.save(id, session);
      },
    },
    [],
  );

  await (await open()).send("Pay the bill").response;

  expect(saves).toBeLessThan(manySaves);
  await host.close();
});
