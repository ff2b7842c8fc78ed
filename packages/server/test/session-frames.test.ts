/** Frames of events, for all readers of a session. */
import type { ChatMessage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { expect, test } from "vitest";
import { SessionFrames } from "../src/streaming/session-frames.ts";

const ids = { sessionId: "s", turnId: "t" };

test("an event is written once, however many read it, with its turn for those who do not know it", () => {
  let written = 0;
  const content = { toJSON: () => `written ${(written += 1)}` };
  // A message that counts how often it is written.
  const message = { role: "user", id: "m", content } as unknown as ChatMessage;
  const event: SessionEvent = { type: "message_end", message, ...ids };
  const frames = new SessionFrames();
  const cursor = { seq: 3, n: 1 };

  const all = [1, 2, 3].map(() => frames.frame(event, cursor));
  const told = frames.frameOfTurn(event, cursor);

  expect(written).toBe(2);
  expect(new Set(all).size).toBe(1);
  expect(all[0]).toBe(
    'id: 3.1\ndata: {"type":"message_end","message":{"role":"user","id":"m","content":"written 1"}}\n\n',
  );
  expect(told).toContain(',"turnId":"t"}\n\n');
});
