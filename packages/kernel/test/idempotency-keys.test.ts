import { hashJson } from "@capstan/kernel";
import { callTool, echoTool, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

interface Keyed {
  readonly toolCallId: string;
  readonly idempotencyKey: string;
}

/** The one call of a turn in the conversation "c1". */
async function callIn(incarnation: string | undefined): Promise<Keyed | undefined> {
  const calls: Keyed[] = [];
  const tool = {
    ...echoTool(),
    execute: (_: unknown, { toolCallId, idempotencyKey }: Keyed) => {
      calls.push({ toolCallId, idempotencyKey });
      return "done";
    },
  };
  await runToEnd({
    provider: scriptedProvider([callTool("echo"), say("Done")]),
    tools: [tool],
    conversationId: "c1",
    journal: { record: () => {}, ...(incarnation !== undefined && { incarnation }) },
  });
  return calls[0];
}

test("the key of a call is its id after the incarnation of the conversation", async () => {
  const call = await callIn("k7");

  expect(call?.idempotencyKey).toBe(`k7.${call?.toolCallId}`);
});

test.each(["k".repeat(128), "ключ", "a b", "a\nb"])(
  "a key that may not fit into a header is a hash (%j)",
  async (incarnation) => {
    const call = await callIn(incarnation);

    const { toolCallId = "" } = call ?? {};
    expect(call?.idempotencyKey).toBe(hashJson(["c1", incarnation, toolCallId]));
  },
);

test("without an incarnation the key is that of older logs", async () => {
  const call = await callIn(undefined);

  expect(call?.idempotencyKey).toBe(hashJson(["c1", call?.toolCallId ?? ""]));
});
