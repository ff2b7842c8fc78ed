/** Frames of a tree: which have an id, and what a reader makes of them. */
import type { SessionEvent, WireTreeEvent } from "@capstan/log";
import { WireTreeReader } from "@capstan/log";
import { expect, test } from "vitest";
import { TreeFrames } from "../src/streaming/tree-frames.ts";
import { toFrame } from "./sse.ts";

const frames = new TreeFrames((event) => event);
const tree = { cursor: "9.1(3:4.1())" };
const cursor = { seq: 4, n: 1 };
const ids = { sessionId: "child", turnId: "turn" };

const step: SessionEvent = { ...ids, type: "step_start", step: 1 };
const delta: SessionEvent = { ...ids, type: "text_delta", delta: "Hi" };
const settled: SessionEvent = { ...ids, type: "settled" };

test("facts and the rest of a session have the composite cursor as id, live events have none", () => {
  const idOf = (event: SessionEvent): string | undefined =>
    toFrame(frames.frame(event, cursor, tree))?.id;

  expect([idOf(step), idOf(settled), idOf(delta)]).toEqual([tree.cursor, tree.cursor, undefined]);
});

test("a frame whose id would be too long has none", () => {
  const long = { cursor: `9.1(${"3:4.1(),".repeat(1_000)}9:9.9())` };

  expect(toFrame(frames.frame(step, cursor, long))?.id).toBeUndefined();
});

test("a delta of four characters has at most 65 bytes", () => {
  const four = { ...delta, delta: "abcd" };

  expect(frames.frame(four, { seq: 12_345, n: 67 }, tree).length).toBeLessThanOrEqual(65);
});

test("a reader rebuilds events of sessions that take turns, with their cursors", () => {
  const other: SessionEvent = { ...delta, sessionId: "root", turnId: "other", delta: "Ho" };
  const reader = new WireTreeReader("root");
  const read = (frame: string): unknown =>
    reader.read(toFrame(frame)?.data as unknown as WireTreeEvent);

  expect(read(frames.frameOfTurn(delta, cursor))).toEqual({ event: delta, cursor });
  expect(read(frames.frame(delta, cursor))).toEqual({ event: delta, cursor });
  expect(read(frames.frameOfTurn(other, cursor))).toEqual({ event: other, cursor });
  expect(read('data: {"type":"text_start"}\n\n')).toBeUndefined();
});
