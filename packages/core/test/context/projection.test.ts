import type { AssistantPart, ChatMessage } from "@capstan/kernel";
import type { Entry } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import { tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { ContextProjection } from "../../src/context/projection.ts";

type Body = Entry extends infer One
  ? One extends Entry
    ? Omit<One, "v" | "id" | "seq" | "at">
    : never
  : never;

const origin = { provider: "anthropic", api: "anthropic-messages", model: "claude-opus-5" };
const thought: AssistantPart = {
  type: "thinking",
  thinking: "Hm",
  providerData: { signature: "s" },
};

/** A log, what it says, and what is shown of it. */
class Log {
  readonly fold = new SessionFold();
  readonly projection = new ContextProjection(this.fold.context);
  #seq = 0;

  add(body: Body): void {
    const seq = ++this.#seq;
    this.fold.apply({ v: 1, id: `e${seq}`, seq, at: seq, ...body });
  }

  /** What a turn would be shown that has made all of it. */
  shown(projection = this.projection): readonly ChatMessage[] {
    return projection.show({ history: [], input: [], added: this.fold.transcript.messages });
  }

  /** A step with one call of a tool, and its output. */
  step(number: number, output: string): void {
    const id = `c${number}`;
    const message = {
      role: "assistant",
      id: `a${number}`,
      content: [thought, { type: "tool_call", id, name: "look", input: {} }],
      stopReason: "tool-calls",
      origin,
    } as const;
    this.add({ type: "message", turnId: "t", step: number, message });
    const result = { isError: false, output };
    this.add({
      type: "tool_result",
      turnId: "t",
      step: number,
      toolCallId: id,
      toolName: "look",
      result,
    });
  }
}

function begin(...content: (string | typeof tinyImage)[]): Log {
  const log = new Log();
  const parts = content.map((part) =>
    typeof part === "string" ? ({ type: "text", text: part } as const) : part,
  );
  log.add({ type: "created", agent: "helper" });
  log.add({ type: "input", messages: [{ role: "user", id: "u1", content: parts }] });
  log.add({ type: "turn_started", turnId: "t", input: ["e2"] });
  return log;
}

/** In short: who says what, and whether it is with thoughts and whose it is. */
function shown(log: Log): string[] {
  return log.shown().map((message) => `${message.id} ${describeMessage(message)}`);
}

function describeMessage(message: ChatMessage): string {
  if (message.role === "assistant") {
    const hasThoughts = message.content.some(({ type }) => type === "thinking");
    return `${hasThoughts ? "thinks" : "calls"}${message.origin === undefined ? "" : ", signed"}`;
  }
  return "content" in message ? JSON.stringify(message.content).slice(0, 40) : "";
}

describe("what a model is shown", () => {
  test("is the transcript, as long as no entry says otherwise, and the list only grows", () => {
    const log = begin("Hello");
    const before = log.shown();
    log.step(1, "one");

    const after = log.shown();

    expect(after).toBe(before);
    expect(after).toEqual(log.fold.transcript.messages);
  });

  test("has a note with a reference in the place of an output that was evicted", () => {
    const log = begin("Hello");
    log.step(1, "one");
    log.step(2, "two");
    log.add({ type: "eviction", turnId: "t", toolCallIds: ["c1"] });

    expect(log.shown()[2]).toMatchObject({
      role: "tool",
      toolCallId: "c1",
      content: expect.stringMatching(/left out.*c1/),
    });
    expect(log.fold.transcript.messages[2]).toMatchObject({ content: "one" });
  });

  test("has no thoughts of which the beginning was changed, and those before and after it", () => {
    const log = begin("Hello");
    log.step(1, "one");
    log.step(2, "two");
    log.step(3, "three");
    log.add({ type: "eviction", turnId: "t", toolCallIds: ["c2"] });
    log.step(4, "four");

    expect(shown(log).filter((line) => line.startsWith("a"))).toEqual([
      "a1 thinks, signed",
      "a2 thinks, signed",
      "a3 calls",
      "a4 thinks, signed",
    ]);
  });

  test("begins with the summary, and goes on behind what it stands for", () => {
    const log = begin("Hello");
    log.step(1, "one");
    log.step(2, "two");
    const summary = "We have looked once.";
    log.add({ type: "compaction", turnId: "t", through: "c1", summary, before: 9, after: 3 });
    log.step(3, "three");

    expect(shown(log)).toEqual([
      'c1_summary "We have looked once."',
      "a2 calls",
      'c2 "two"',
      "a3 thinks, signed",
      'c3 "three"',
    ]);
  });

  test("has a note in the place of a part that a vendor refused", () => {
    const log = begin("Look", tinyImage);
    log.add({ type: "quarantine", turnId: "t", messageId: "u1", part: 1 });

    expect(log.shown()).toMatchObject([
      { content: [{ text: "Look" }, { type: "text", text: expect.stringContaining("left out") }] },
    ]);
  });

  test("is the same when it is made anew", () => {
    const log = begin("Hello");
    log.step(1, "one");
    log.shown();
    log.add({ type: "eviction", turnId: "t", toolCallIds: ["c1"] });
    log.step(2, "two");

    expect(log.shown()).toEqual(log.shown(new ContextProjection(log.fold.context)));
  });

  test("has nothing of an earlier history", () => {
    const log = begin("Hello");
    log.step(1, "one");
    log.add({ type: "eviction", turnId: "t", toolCallIds: ["c1"] });
    log.add({ type: "turn_ended", turnId: "t", finishReason: "stop", usage: {} });
    log.add({
      type: "history_loaded",
      messages: [{ role: "user", id: "x", content: "New" }],
    });

    expect(shown(log)).toEqual(['x "New"']);
  });
});
