/** A reader that takes nothing: what is kept for it is bounded, it gets the facts when it goes on, and is cut when it does not. */
import { manualClock, reply, say, scriptedProvider, wait } from "@capstan/testing";
import type { AgentEventBody } from "@capstan/kernel";
import { startCursor } from "@capstan/log";
import { expect, test, vi } from "vitest";
import { EventReader } from "../src/streaming/event-reader.ts";
import type { FrameSink } from "../src/streaming/frame-sink.ts";
import { SessionFrames } from "../src/streaming/session-frames.ts";
import { headOf, openSocket } from "./raw-socket.ts";
import { toFrame } from "./sse.ts";
import { createWorld, tokens } from "./world.ts";

/** A sink that the test opens and closes. */
class ManualSink implements FrameSink {
  text = "";
  isOpen = true;
  state: "open" | "ended" | "cut" = "open";

  write(frames: string): boolean {
    this.text += frames;
    return this.isOpen;
  }

  end(): void {
    this.state = "ended";
  }

  cut(): void {
    this.state = "cut";
  }

  get frames() {
    return this.text
      .split("\n\n")
      .map(toFrame)
      .filter((frame) => frame !== undefined);
  }
}

const deltas = (count: number): string[] => Array.from({ length: count }, (_, n) => `word ${n} `);

async function slowly(maxUnreadChars: number, count: number) {
  const gate = Promise.withResolvers<void>();
  const script = [reply(say(["first"]), wait(gate.promise), say(deltas(count)))];
  const world = await createWorld(script);
  const session = world.host.createSession({ agent: "helper" });
  const sink = new ManualSink();
  const reader = new EventReader({
    session,
    frames: new SessionFrames(),
    maxUnreadChars,
    unread: { chars: 0, maxChars: Infinity },
    opening: "",
    endFrame: () => "",
    onClose() {},
    onWrite() {},
  });
  reader.subscribe();
  reader.start(sink);
  const turn = session.send("Hi");
  const begun = Promise.withResolvers<void>();
  session.subscribe(({ type }) => {
    if (type === "text_delta") begun.resolve();
  });
  await begun.promise;
  sink.isOpen = false;
  gate.resolve();
  await turn.response;
  await session.waitForIdle();
  const before = sink.frames.length;
  sink.isOpen = true;
  return { session, sink, reader, before };
}

const textIn = (frames: readonly { readonly data: object }[]): string =>
  frames.map(({ data }) => (data as { readonly delta?: string }).delta ?? "").join("");

test("deltas that a slow reader has not taken come as few, and nothing is lost", async () => {
  const { sink, reader, before } = await slowly(1_000_000, 500);

  reader.onDrain();

  const late = sink.frames.slice(before);
  expect(textIn(sink.frames)).toBe(`first${deltas(500).join("")}`);
  expect(late.filter(({ data }) => data.type === "text_delta").length).toBeLessThan(5);
  expect(late.map(({ data }) => data.type)).toContain("turn_end");
});

test("beyond the limit nothing is kept: the reader gets the facts from the log, once and in order", async () => {
  const { session, sink, reader, before } = await slowly(2_000, 5_000);

  reader.onDrain();
  await session.read();
  await new Promise(setImmediate);

  const late = sink.frames.slice(before);
  const ids = sink.frames.map(({ id }) => id);
  const types = late.map(({ data }) => data.type as AgentEventBody["type"]);
  expect(textIn(late).length).toBeLessThan(5_000);
  expect(types.slice(-4)).toEqual(["message_end", "step_end", "turn_end", "settled"]);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a slow reader of a long log holds the log back, and gets all of it as it takes it", async () => {
  const world = await createWorld(Array.from({ length: 40 }, (_, n) => say(`Reply ${n}`)));
  const session = world.host.createSession({ agent: "helper" });
  for (let n = 0; n < 40; n += 1) await session.run("More");
  const unread = { chars: 0, maxChars: Infinity };
  const sink = new ManualSink();
  const reader = new EventReader({
    session,
    frames: new SessionFrames(),
    maxUnreadChars: Infinity,
    unread,
    opening: "",
    endFrame: () => "",
    onClose() {},
    onWrite() {},
  });
  const read = Promise.withResolvers<void>();
  reader.subscribe(startCursor);
  session.subscribe(() => {}, {
    after: startCursor,
    ready: () => {
      read.resolve();
      return undefined;
    },
  });
  await read.promise;
  await session.waitForIdle();
  const kept = unread.chars;

  reader.start(sink);
  await vi.waitUntil(() => sink.text.includes(`id: ${session.cursor.seq}.`));

  const turns = sink.frames.filter(({ data }) => (data as { type: string }).type === "turn_start");
  expect(turns).toHaveLength(40);
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(sink.text.length / 2);
});

test("a reader that takes nothing for too long is cut", async () => {
  const { sink, reader } = await slowly(1_000_000, 50);
  sink.isOpen = false;

  reader.beat(1_000, 30_000);
  reader.beat(16_000, 30_000);
  const patient = sink.state;
  reader.beat(31_000, 30_000);

  expect(patient).toBe("open");
  expect(sink.state).toBe("cut");
});

test("a socket that nobody reads from is cut, and the process keeps little for it", async () => {
  const clock = manualClock(1_000);
  const script = Array.from({ length: 100 }, () => say("x".repeat(200_000)));
  const model = scriptedProvider([say("Hi"), ...script], { contextWindow: 1e9 });
  const world = await createWorld([], { agent: { model }, server: { clock } });
  const { sessionId } = await world.execute({ input: "Hi" });
  const socket = await openSocket(world.node.port);
  socket.pause();
  const authorization = `Bearer ${tokens.ann}`;
  socket.write(headOf("GET", `/api/agent/session/${sessionId}/events`, { authorization }));
  const session = await world.host.open(sessionId);
  const metrics = async (): Promise<string> => (await world.request("/metrics")).text();
  while (!(await metrics()).includes("streams_open 1")) await new Promise(setImmediate);
  for (const _ of script) await session.run("More");
  const taken = await untilSame(async () => /chars_total (\d+)/.exec(await metrics())?.[1] ?? "");

  await clock.advance(15_000);
  await clock.advance(15_000);
  await clock.advance(15_000);

  // All of it would be 40 million.
  expect(Number(taken)).toBeLessThan(30_000_000);
  expect(await metrics()).toContain("streams_open 0");
});

/** Asks until the answer stays the same. */
async function untilSame(ask: () => Promise<string>, last = "", times = 0): Promise<string> {
  const answer = await ask();
  if (times === 50) return answer;
  return untilSame(ask, answer, answer === last ? times + 1 : 0);
}
