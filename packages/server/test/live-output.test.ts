/** Many readers of a session whose tool says much: what is kept for those who are slow is bounded, and to come back costs no reading of the log. */
import { defineTool } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { ReadOptions } from "@capstan/log";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { EventReader } from "../src/streaming/event-reader.ts";
import type { FrameSink } from "../src/streaming/frame-sink.ts";
import { SessionFrames } from "../src/streaming/session-frames.ts";
import { createWorld } from "./world.ts";

class SlowSink implements FrameSink {
  readonly written: string[] = [];

  write(frames: string): boolean {
    this.written.push(frames);
    return false;
  }

  end(): void {}
  cut(): void {}
}

/** A turn whose tool has said 200 times 5,000 characters and waits. */
async function streaming(readers: number, maxUnreadCharsInAll: number) {
  const said = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const talk = defineTool({
    name: "talk",
    description: "Says much",
    input: z.object({}),
    async *execute() {
      for (let n = 0; n < 200; n++) yield { type: "delta", delta: "x".repeat(5_000) };
      said.resolve();
      await gate.promise;
      yield { type: "complete", output: "done" };
    },
  });
  const repository = memoryRepository({ now: Date.now });
  const reads: number[] = [];
  const read = repository.read.bind(repository);
  repository.read = (id: string, options: ReadOptions = {}) => {
    reads.push(options.after ?? 0);
    return read(id, options);
  };
  const world = await createWorld([callTool("talk"), say("Done")], { tools: [talk], repository });
  const session = world.host.createSession({ agent: "helper" });
  const frames = new SessionFrames();
  const unread = { chars: 0, maxChars: maxUnreadCharsInAll };
  const open = () => {
    const sink = new SlowSink();
    const options = {
      session,
      frames,
      maxUnreadChars: 50_000,
      unread,
      opening: "o",
      endFrame: () => "",
    };
    const reader = new EventReader({ ...options, onClose() {}, onWrite() {} });
    reader.subscribe();
    return { sink, reader: reader.start(sink) };
  };
  const slow = Array.from({ length: readers }, open);
  const turn = session.send("Hi");
  await said.promise;
  reads.length = 0;
  const end = async (): Promise<void> => {
    gate.resolve();
    await turn.response;
  };
  return { slow, unread, reads, end };
}

/** Takes what there is until nothing more comes. */
async function drain({ sink, reader }: { sink: SlowSink; reader: EventReader }): Promise<string> {
  let count: number;
  do {
    count = sink.written.length;
    reader.onDrain();
    await new Promise(setImmediate);
  } while (sink.written.length > count);
  return sink.written.join("");
}

test("a slow reader gets the end of a long output in a bounded snapshot, without a reading of the log", async () => {
  const { slow, reads, end } = await streaming(3, Infinity);

  const texts = await Promise.all(slow.map(drain));
  const readFromStart = reads.filter((after) => after === 0);
  await end();

  expect(texts.map((text) => text.includes('"omittedChars":934464'))).toEqual([true, true, true]);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(250_000);
  expect(readFromStart).toEqual([]);
});

test("what is kept for all readers together has a bound, and each gets to the end all the same", async () => {
  const { slow, unread, end } = await streaming(20, 200_000);
  const kept = unread.chars;

  await end();
  const texts = await Promise.all(slow.map(drain));
  const left = unread.chars;

  expect(kept).toBeGreaterThan(100_000);
  expect(kept).toBeLessThan(200_000 + 20 * 6_000);
  expect(texts.every((text) => text.includes('"type":"turn_end"'))).toBe(true);
  expect(left).toBe(0);
});

test("a sink is given no more at a time than it says that it takes", async () => {
  const { slow, end } = await streaming(1, Infinity);

  await Promise.all(slow.map(drain));
  await end();

  const [first] = slow;
  const largest = Math.max(...(first?.sink.written ?? []).map(({ length }) => length));
  expect(largest).toBeLessThan(131_072 + 1_000);
});
