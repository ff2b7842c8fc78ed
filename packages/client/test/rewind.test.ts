/** A client that edits, and one that looks on. */
import { lendTool } from "@capstan/client";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { client, serve } from "./transports.ts";

const ids = (state: { readonly messages: readonly { readonly id: string }[] }): string[] =>
  state.messages.map(({ id }) => id);

test("a client edits a message, and another one that looks on has the same history", async () => {
  const { node } = await serve([say("One"), say("Two"), say("Three")]);
  const page = client(node.url).session("chat");
  await page.send("First", { id: "t1" }).response;
  const other = client(node.url).session("chat");
  await other.refresh();
  const rewound = Promise.withResolvers<void>();
  const stop = other.subscribe(({ type }) => {
    if (type === "history_rewound") rewound.resolve();
  });
  await page.send("Second", { id: "t2" }).response;

  await page.rewind("t2", { before: true });
  await rewound.promise;
  expect(ids(page.state)).toEqual(["t1", expect.any(String)]);
  expect(ids(other.state)).toEqual(ids(page.state));
  expect(other.state.status).toBe("idle");
  await page.send("Third", { id: "t3" }).response;

  await other.refresh();
  stop();
  const late = client(node.url).session("chat");
  await late.refresh();
  expect(ids(page.state).slice(0, 3)).toEqual([...ids(late.state).slice(0, 2), "t3"]);
  expect((await page.refresh()).messages).toEqual(late.state.messages);
  expect(other.state.messages).toEqual(late.state.messages);
});

test("a refused rewind has the code of its refusal, and changes nothing", async () => {
  const { node } = await serve([say("One")]);
  const page = client(node.url).session("chat");
  await page.send("First", { id: "t1" }).response;

  await expect(page.rewind("none")).rejects.toMatchObject({ code: "invalid_input" });

  expect((await page.refresh()).messages).toHaveLength(2);
});

test("a rewind stops the call that a client runs, and ends its turn", async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const slow = lendTool({
    name: "slow",
    description: "Never ends",
    input: { type: "object" },
    execute: async (_, { signal }) => {
      started.resolve(signal);
      return new Promise<string>(() => {});
    },
  });
  const { node } = await serve([callTool("slow", {})]);
  const page = client(node.url, { tools: [slow] }).session("chat");
  const turn = page.send("Go", { id: "t1" });
  const signal = await started.promise;
  const other = client(node.url).session("chat");
  await other.waitForIdle();

  await other.rewind("t1");

  expect((await turn.response).error?.code).toBe("not_pending");
  expect(signal.aborted).toBe(true);
  expect((await page.refresh()).pendingToolCalls).toEqual([]);
});
