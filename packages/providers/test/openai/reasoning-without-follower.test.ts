/** The vendor refuses a reasoning item without the item that followed it, and an item without its reasoning. */
import type { ChatMessage } from "@capstan/kernel";
import { callTool, cutOff, echoTool, finish, reply, say, stall, think } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { openai } from "../../src/openai.ts";
import { refusalsOf, turnWith, user } from "../emulated-turns.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";

const step = [think("Hm"), say("Looking."), callTool("echo")];
const end = [think("Ah"), say("Done.")];

const turnOf = (url: string, model = "gpt-5.5") => ({
  vendor: openai,
  model,
  url,
  tools: [echoTool()],
});

test("reasoning goes back with what followed it, over turns and steps", async () => {
  await using service = await openAiResponsesEmulator([step, end, step, end]);

  const first = await turnWith({ ...turnOf(service.url), messages: [user("Look")] });
  await turnWith({ ...turnOf(service.url), messages: [...first.transcript, user("Again")] });

  const { input } = dataOf(service.requests[3]?.body);
  expect(refusalsOf(service)).toEqual([]);
  const items = input as readonly { readonly type: string }[];
  expect(items.filter(({ type }) => type === "reasoning")).toHaveLength(3);
});

test.each<[string, ScriptItem]>([
  ["nothing but its thinking", reply(think("Hm"), finish("length"))],
  ["its thinking and half a text", reply(think("Hm"), say("Half"), finish("length"))],
])("a reply that was cut behind %s does not stand in the way of the next", async (_, cut) => {
  await using service = await openAiResponsesEmulator([cut, say("Fine.")]);

  const first = await turnWith({ ...turnOf(service.url), messages: [user("Look")] });
  const second = await turnWith({
    ...turnOf(service.url),
    messages: [...first.transcript, user("And?")],
  });

  expect(refusalsOf(service)).toEqual([]);
  expect(second.finishReason).toBe("stop");
});

test("a stream that broke off and a turn that was aborted do not either", async () => {
  await using service = await openAiResponsesEmulator([
    reply(think("Hm"), say("Half"), cutOff()),
    reply(think("Hm"), say("Half"), stall()),
    say("Fine."),
  ]);
  const stop = new AbortController();
  const messages: ChatMessage[] = [user("Look")];

  const broken = await turnWith({ ...turnOf(service.url), messages });
  const aborted = await turnWith({
    ...turnOf(service.url),
    messages: [...broken.transcript, user("Again")],
    signal: stop.signal,
    emit: (event) => {
      if (event.type === "text_delta") stop.abort();
    },
  });
  const last = await turnWith({
    ...turnOf(service.url),
    messages: [...aborted.transcript, user("And?")],
  });

  expect([broken.finishReason, aborted.finishReason]).toEqual(["error", "aborted"]);
  expect(refusalsOf(service)).toEqual([]);
  expect(last.finishReason).toBe("stop");
});

test.each([
  ["gpt-5.5", "gpt-5.4"],
  ["gpt-5.5", "gpt-4.1"],
  ["gpt-4.1", "gpt-5.5"],
])("a conversation moves from %s to %s and back, also inside of a turn", async (one, other) => {
  await using service = await openAiResponsesEmulator([step, end, step, step, end]);

  const first = await turnWith({ ...turnOf(service.url, one), messages: [user("Look")] });
  const cut = await turnWith({
    ...turnOf(service.url, other),
    messages: [...first.transcript, user("Again")],
    limits: { maxSteps: 1 },
  });
  const last = await turnWith({ ...turnOf(service.url, one), messages: cut.transcript });

  expect(refusalsOf(service)).toEqual([]);
  expect(last.finishReason).toBe("stop");
});
