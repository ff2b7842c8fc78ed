/** Progress of child sessions as parts of a page's message. */
import type { SessionEvent } from "@capstan/log";
import { ChildChunks } from "@capstan/log/chat";
import { expect, test } from "vitest";

const root = { sessionId: "root", turnId: "t" };
const child = { sessionId: "child", turnId: "c" };
const started: SessionEvent = {
  ...root,
  type: "child_started",
  toolCallId: "call",
  childId: "child",
  agent: "reader",
};
const said = (delta: string): SessionEvent => ({ ...child, type: "text_delta", delta });

function shown(children: ChildChunks): unknown {
  const { chunks, onShown } = children.due();
  onShown();
  return chunks;
}

test("text is shown at most four times a second, and all of it in the end", () => {
  let now = 0;
  const children = new ChildChunks({ sessionId: "root", children: [], now: () => now });
  children.take(started);
  const first = shown(children);
  children.take(said("a "));
  const early = shown(children);
  const { dueInMs } = children;
  children.take(said("book"));
  now = 250;
  const late = shown(children);

  expect(first).toMatchObject([{ type: "data-child", id: "call", data: { outcome: "running" } }]);
  expect([early, dueInMs]).toEqual([[], 250]);
  expect(late).toMatchObject([{ data: { agent: "reader", text: "a book" } }]);
  expect(children.dueInMs).toBeUndefined();
});

test("an end is shown at once, and a chunk that was not written is due again", () => {
  const children = new ChildChunks({ sessionId: "root", children: [], now: () => 0 });
  children.take(started);
  shown(children);
  children.take({
    ...root,
    type: "child_ended",
    toolCallId: "call",
    childId: "child",
    outcome: "answered",
  });
  children.due();

  expect(shown(children)).toMatchObject([{ data: { outcome: "answered" } }]);
  expect(shown(children)).toEqual([]);
});

test("events of unknown sessions and other events of the root show nothing", () => {
  const children = new ChildChunks({ sessionId: "root", children: [], now: () => 0 });
  children.take(said("Hi"));
  children.take({ ...root, type: "text_delta", delta: "Hi" });

  expect(shown(children)).toEqual([]);
});
