/** Pages that join a turn at any moment, and readers that miss any part of it, see the same message. */
import type { SessionEvent } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import { isLiveOnly, memoryRepository, startCursor } from "@capstan/log";
import type { ChatProtocol } from "@capstan/log/chat";
import { ChunkEncoder } from "@capstan/log/chat";
import {
  callTool,
  echoTool,
  failAfter,
  finish,
  reply,
  say,
  scriptedProvider,
  think,
} from "@capstan/testing";
import type { UIMessage, UIMessageChunk } from "ai";
import { readUIMessageStream } from "ai";
import { assert, asyncProperty, boolean, infiniteStream } from "fast-check";
import { expect, test } from "vitest";

const tool = {
  ...echoTool(),
  async *execute(input: { readonly text: string }) {
    yield { type: "delta" as const, delta: input.text };
    yield { type: "complete" as const, output: `said ${input.text}` };
  },
};

const script = [
  failAfter(say(["Wrong ", "start"]), "overloaded"),
  reply(think(["Let ", "me"]), say(["I ", "look"]), callTool("echo", { text: "one" })),
  reply(callTool("echo", { text: "two" }), callTool("echo", { text: "three" })),
  reply(say(["All ", "is ", "well"]), finish("stop")),
];

/** Runs the turn, and lets a reader join at each event of it. */
async function readersOfATurn(): Promise<readonly (readonly SessionEvent[])[]> {
  const provider = scriptedProvider(script);
  const retry = { maxAttempts: 2, baseDelayMs: 0 };
  const agent = createAgent({ model: provider, tools: [tool as never], retry });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const session = host.createSession({ agent: "agent" });
  const readers: SessionEvent[][] = [];
  const join = (): void => {
    const seen: SessionEvent[] = [];
    readers.push(seen);
    session.subscribe((event) => void seen.push(event), { after: startCursor });
  };
  session.subscribe(() => join());
  await session.send("Hi").response;
  join();
  // Readers of the log get their events later than those of this process.
  const isBehind = (): boolean =>
    readers.some((seen) => !seen.some(({ type }) => type === "turn_end"));
  while (isBehind()) await new Promise(setImmediate);
  await host.close();
  return readers;
}

function newEncoder(protocol: ChatProtocol): ChunkEncoder {
  return new ChunkEncoder({
    protocol,
    messageId: "reply",
    now: () => 0,
    isClientTool: () => false,
  });
}

function onError(thrown: unknown): never {
  throw thrown;
}

async function messageOf(
  events: readonly SessionEvent[],
  protocol: ChatProtocol = 7,
): Promise<UIMessage | undefined> {
  const encoder = newEncoder(protocol);
  const chunks = events.flatMap((event) => encoder.take(event));
  const stream = ReadableStream.from([
    { type: "start", messageId: "reply" },
    ...chunks,
  ]) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, onError })) last = message;
  return last;
}

test("a page that joins at any moment of a turn shows the message that one from the beginning shows", async () => {
  const readers = await readersOfATurn();
  const [first = []] = readers;

  const whole = await messageOf(first);
  const shown = await Promise.all(readers.map(async (events) => messageOf(events)));

  expect(readers.length).toBeGreaterThan(60);
  expect(whole?.parts).toMatchObject([
    { type: "step-start" },
    { type: "reasoning", text: "Let me" },
    { type: "text", text: "I look" },
    { type: "tool-echo", state: "output-available", output: "said one" },
    { type: "step-start" },
    { type: "tool-echo", output: "said two" },
    { type: "tool-echo", output: "said three" },
    { type: "step-start" },
    { type: "text", text: "All is well", state: "done" },
  ]);
  for (const message of shown) expect(message).toEqual(whole);
});

test("a reader that misses any live events shows the same in the end", async () => {
  const [events = []] = await readersOfATurn();
  const whole = await messageOf(events);

  await assert(
    asyncProperty(infiniteStream(boolean()), async (choices) => {
      // After a gap, the deltas of a part that was begun are missing up to the whole message.
      let isMissing = false;
      const seen = events.filter((event) => {
        if (event.type === "message_start") isMissing = false;
        else if (isLiveOnly(event)) isMissing ||= choices.next().value === true;
        return !(isMissing && isLiveOnly(event));
      });
      expect(await messageOf(seen)).toEqual(whole);
    }),
    { numRuns: 60 },
  );
});

test("pages of older versions get no chunk that their version does not know", async () => {
  const [events = []] = await readersOfATurn();
  const newer = ["reset-step", "steering-message", "tool-approval-response"];
  for (const protocol of [5, 6] as const) {
    const encoder = newEncoder(protocol);
    const types = events.flatMap((event) => encoder.take(event)).map(({ type }) => type);
    const message = await messageOf(events, protocol);

    expect(types.filter((type) => newer.includes(type))).toEqual([]);
    expect(message?.parts.at(-1)).toMatchObject({ text: "All is well" });
  }
});
