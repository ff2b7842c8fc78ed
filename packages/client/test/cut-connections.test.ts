/** Whatever is cut, wherever: what the client tells and what it knows are what the process itself tells and knows. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { LiveView } from "@capstan/kernel";
import { isLiveOnly, memoryRepository } from "@capstan/log";
import { callTool, reply, say, scriptedProvider, think, usage, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Cuts } from "./cutting-proxy.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import type { AnySession } from "./transports.ts";
import { client, serve } from "./transports.ts";

const note = defineTool({
  name: "note",
  description: "Notes something",
  input: { type: "object" },
  execute: (_, { update }) => {
    update("no");
    update("ted");
    return "noted";
  },
});

const script = [
  reply(
    think(["Let ", "me ", "see"]),
    say(["I ", "note ", "it"]),
    callTool("note", { n: 1 }),
    callTool("note", { n: 2 }),
    usage({ inputTokens: 5, outputTokens: 7 }),
  ),
  reply(say(["Do", "ne ", "wi", "th ", "it"]), usage({ inputTokens: 9, outputTokens: 3 })),
  say("Bye"),
];

interface Story {
  readonly facts: readonly unknown[];
  readonly prefixes: readonly boolean[];
  readonly told: readonly unknown[];
  readonly response: unknown;
  readonly state: unknown;
}

/** Two turns, told by their handles and to a listener. */
async function storyOf(session: AnySession): Promise<Story> {
  const told: SessionEvent[] = [];
  const first = session.send("Note this", { id: "t1" });
  const events = await Array.fromAsync(first);
  const response = await first.response;
  const stop = session.subscribe((event) => void told.push(event));
  await session.send("Bye", { id: "t2" }).response;
  await session.waitForIdle();
  stop();
  const {
    status,
    messages,
    usage: used,
    pendingToolCalls,
    queues,
    streamingMessage,
  } = session.state;
  return {
    facts: factsOf(events),
    prefixes: prefixesOf(events),
    told: factsOf(told),
    response: withoutTimes(response),
    state: { status, messages, used, pendingToolCalls, queues, streamingMessage },
  };
}

function factsOf(events: readonly SessionEvent[]): readonly unknown[] {
  return events.filter((event) => !isLiveOnly(event)).map(withoutTimes);
}

/** Whether what was live when each reply ended is how the reply begins: deltas and snapshots repeat nothing and leave nothing out. */
function prefixesOf(events: readonly SessionEvent[]): readonly boolean[] {
  const view = new LiveView();
  return events.flatMap((event) => {
    const shown = textIn(view.snapshot().message?.content ?? []);
    view.apply(event);
    if (event.type !== "message_end" || event.message.role !== "assistant") return [];
    return textIn(event.message.content).startsWith(shown);
  });
}

function textIn(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map(({ text = "" }) => text).join("");
}

function withoutTimes(value: object): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, field: unknown) =>
      ["durationMs", "timing", "sessionId", "deadlineAt"].includes(key) ? undefined : field,
    ),
  );
}

async function inProcess(): Promise<Story> {
  const agent = createAgent({ name: "helper", model: scriptedProvider(script), tools: [note] });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const story = await storyOf(host.createSession({ agent: "helper" }));
  await host.close();
  return story;
}

async function throughProxy(cuts: Cuts, isLent: boolean) {
  const tools = [note];
  const { node, faults } = await serve(script, isLent ? {} : { tools });
  const proxy = await cuttingProxy(node.url, cuts);
  const connected = client(proxy.url, isLent ? { tools, client: "tab" } : {});
  const story = await storyOf(connected.session("chat"));
  connected.close();
  await node.close();
  return { story, faults, counts: proxy.counts };
}

/** The last frames of a stream that is left may not have been sent. */
function cutIn(runs: readonly { readonly counts: { readonly cuts: number } }[]): number {
  return runs.filter(({ counts }) => counts.cuts === 1).length;
}

test("a proxy that cuts nothing changes nothing", async () => {
  const { story, counts } = await throughProxy({}, false);

  expect(story).toEqual(await inProcess());
  expect(counts.cuts).toBe(0);
});

test.each([
  ["behind each frame", false],
  ["in the middle of each frame", true],
])(
  "cut %s in turn: no gap, no duplicate, the same state",
  { timeout: 60_000 },
  async (_, isInFrame) => {
    const whole = await inProcess();
    const uncut = await throughProxy({}, false);

    const places = Array.from({ length: uncut.counts.frames }, (__, place) => place);
    const runs: Awaited<ReturnType<typeof throughProxy>>[] = [];
    for (const afterFrames of places)
      runs.push(await throughProxy({ afterFrames, isInFrame }, false));

    expect(places.length).toBeGreaterThan(40);
    expect(cutIn(runs)).toBeGreaterThan(places.length * 0.9);
    expect(runs.flatMap(({ faults }) => faults)).toEqual([]);
    for (const { story } of runs) expect(story).toEqual(whole);
  },
);

test("the same with tools that the client lends", { timeout: 60_000 }, async () => {
  const uncut = await throughProxy({}, true);

  const places = Array.from({ length: uncut.counts.frames }, (_, place) => place);
  const runs: Awaited<ReturnType<typeof throughProxy>>[] = [];
  for (const afterFrames of places) runs.push(await throughProxy({ afterFrames }, true));

  expect(places.length).toBeGreaterThan(40);
  for (const { story } of runs) expect(story).toEqual(uncut.story);
});

test.each([3, 4, 7])(
  "every stream is cut behind %i frames, and all the same",
  async (everyFrames) => {
    const { story, counts } = await throughProxy({ everyFrames, isInFrame: true }, false);

    expect(story).toEqual(await inProcess());
    expect(counts.cuts).toBeGreaterThan(3);
  },
);

test("cut in the middle of a reply, again and again: what is shown live is all of it", async () => {
  const gates = Array.from({ length: 12 }, () => Promise.withResolvers<void>());
  const pieces = gates.flatMap((gate, place) => [say(`${place} `), wait(gate.promise)]);
  const { node } = await serve([reply(...pieces)]);
  const proxy = await cuttingProxy(node.url, { everyFrames: 4 });
  const turn = client(proxy.url).createSession().send("Count");

  const view = new LiveView();
  let shown = "";
  let next = 0;
  for await (const event of turn) {
    if (event.type === "message_end") shown = textIn(view.snapshot().message?.content ?? []);
    view.apply(event);
    // The model goes on when the client has seen what it said.
    const seen = textIn(view.snapshot().message?.content ?? []).split(" ").length - 1;
    while (next < seen) gates[next++]?.resolve();
  }

  expect(shown).toBe("0 1 2 3 4 5 6 7 8 9 10 11 ");
  expect(proxy.counts.cuts).toBeGreaterThan(4);
});

test.each([
  ["of the server", false],
  ["lent", true],
])(
  "the answer to each request in turn is lost, with tools %s",
  { timeout: 60_000 },
  async (_, isLent) => {
    const uncut = await throughProxy({}, isLent);

    const places = Array.from({ length: uncut.counts.requests }, (__, place) => place + 1);
    const runs: Awaited<ReturnType<typeof throughProxy>>[] = [];
    for (const answerTo of places) runs.push(await throughProxy({ answerTo }, isLent));

    expect(cutIn(runs)).toBeGreaterThan(places.length * 0.9);
    for (const { story } of runs) expect(story).toEqual(uncut.story);
  },
);
