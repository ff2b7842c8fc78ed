import type { AnyTool } from "@capstan/core";
import { createAgent, Host } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import {
  callTool,
  echoTool,
  failAfter,
  failingTool,
  say,
  scriptedProvider,
  think,
} from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../../src/terminal/conversation/blocks.ts";
import { Conversation } from "../../src/terminal/conversation/conversation.ts";

const tools: readonly AnyTool[] = [echoTool(), failingTool()];

interface Seen {
  readonly live: readonly Block[];
  /** Blocks of readers that joined before the events of these indexes. */
  readonly late: readonly (readonly Block[])[];
  readonly reopened: readonly Block[];
}

/** Runs a turn. A reader joins before each event that `joins` names. */
async function runWithReaders(
  script: readonly ScriptItem[],
  joins: readonly number[],
): Promise<Seen> {
  const model = { provider: scriptedProvider(script), id: "" };
  const retry = { baseDelayMs: 0, maxDelayMs: 0 };
  const agent = createAgent({ name: "test", model, tools, retry });
  const host = new Host({ agents: [agent], repository: memoryRepository() });
  const session = host.createSession({ agent: "test" });
  await session.create();
  const live = new Conversation();
  const late: Conversation[] = [];
  let count = 0;
  session.subscribe((event: SessionEvent) => {
    live.apply(event);
    count += 1;
    if (!joins.includes(count)) return;
    const reader = new Conversation(session.messages);
    late.push(reader);
    session.subscribe((later) => reader.apply(later), { after: session.cursor });
  });
  await session.send("go").response;
  await session.waitForIdle();
  // The last readers get their events from the log.
  await new Promise((resolve) => setImmediate(resolve));
  await host.close();
  return {
    live: live.blocks,
    late: late.map(({ blocks }) => blocks),
    reopened: new Conversation(session.messages).blocks,
  };
}

/** Notices tell what happened, not what was said: a reader that joins later has missed them. */
function said(blocks: readonly Block[]): readonly Block[] {
  return blocks.filter(({ type }) => type !== "notice");
}

const part = fc.oneof(
  fc
    .array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
    .map((texts) => say(texts)),
  fc.string({ minLength: 1 }).map((text) => think(text)),
);
const call = fc.constantFrom("echo", "fail").map((name) => callTool(name, { text: "x" }));
const step = fc
  .tuple(fc.array(part, { maxLength: 3 }), fc.array(call, { minLength: 1, maxLength: 3 }))
  .map(([parts, calls]) => [...parts, ...calls]);
const lost = fc
  .array(part, { minLength: 1, maxLength: 2 })
  .map((parts) => failAfter(...parts, "overloaded"));
const script = fc
  .tuple(fc.array(fc.oneof(step, lost), { maxLength: 4 }), part)
  .map(([steps, last]): readonly ScriptItem[] => [
    ...steps.slice(0, 2),
    ...steps.slice(2),
    [last, say("end")],
  ]);

test("a session that is opened later shows the blocks that a live reader has seen", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (items) => {
      const { live, reopened } = await runWithReaders(items, []);

      expect(said(reopened)).toEqual(said(live));
    }),
    { numRuns: 60 },
  );
});

test("readers that join in the middle of a turn end with the same blocks", async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.array(fc.nat(40), { maxLength: 5 }), async (items, joins) => {
      const { live, late } = await runWithReaders(items, joins);

      for (const blocks of late) expect(said(blocks)).toEqual(said(live));
    }),
    { numRuns: 60 },
  );
});

test("a discarded attempt leaves a notice and nothing else", async () => {
  const { live } = await runWithReaders(
    [failAfter(say("Half an"), "overloaded"), say("Whole.")],
    [],
  );

  expect(live.map(({ type }) => type)).toEqual(["user", "notice", "reply"]);
});

test("a call keeps its input and gets its result", async () => {
  const { live } = await runWithReaders([callTool("echo", { text: "hi" }), say("Done.")], []);

  expect(live[1]).toMatchObject({
    type: "call",
    toolName: "echo",
    input: { text: "hi" },
    state: "done",
  });
});
