import type { ChatMessage } from "@capstan/kernel";
import { checkTranscript } from "@capstan/testing";
import type { TranscriptProblemCode } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { transcript, transcriptWithCalls } from "./arbitrary-transcript.ts";
import {
  dropResult,
  emptyReply,
  failReplyWithCalls,
  insertSystem,
  moveResultToEnd,
  orphanResult,
  ownerOf,
  pickResult,
  repeatMessageId,
  repeatResult,
  swapResults,
} from "./transcript-faults.ts";
import type { BreakTranscript } from "./transcript-faults.ts";

/** Wherever a transcript is broken in this way, the fault is reported with this code and its index. */
function assertNamed(code: TranscriptProblemCode, breakTranscript: BreakTranscript): void {
  fc.assert(
    fc.property(transcriptWithCalls, fc.nat(), (valid, pick) => {
      const { messages, index } = breakTranscript(valid, pick);
      expect(checkTranscript(messages)).toContainEqual(expect.objectContaining({ code, index }));
    }),
  );
}

test("every transcript that is valid by construction is accepted", () => {
  fc.assert(
    fc.property(transcript, (messages) => {
      expect(checkTranscript(messages)).toEqual([]);
    }),
  );
});

test("a transcript is as valid after it was written as JSON and read again", () => {
  fc.assert(
    fc.property(transcript, (messages) => {
      expect(checkTranscript(JSON.parse(JSON.stringify(messages)) as ChatMessage[])).toEqual([]);
    }),
  );
});

test("a transcript that is cut after calls is accepted as an open tail, and only as that", () => {
  fc.assert(
    fc.property(transcriptWithCalls, fc.nat(), (valid, pick) => {
      const at = pickResult(valid, pick);
      const tail = valid.slice(0, at);
      // An aborted reply is never left open: its turn has ended.
      const owner = valid[ownerOf(valid, at)];
      fc.pre(owner?.role === "assistant" && owner.stopReason !== "aborted");

      expect(checkTranscript(tail, { allowOpenTail: true })).toEqual([]);
      expect(checkTranscript(tail).map(({ code }) => code)).toContain("missing-result");
    }),
  );
});

test("a result that is dropped is missed where its call stands", () => {
  assertNamed("missing-result", dropResult);
});

test("a result that comes twice is named", () => {
  assertNamed("duplicate-result", repeatResult);
});

test("a result that moved to the end is named there", () => {
  assertNamed("misplaced-result", moveResultToEnd);
});

test("two swapped results are named", () => {
  assertNamed("misplaced-result", swapResults);
});

test("a result of a call that does not exist is named", () => {
  assertNamed("result-without-call", orphanResult);
});

test("a message id that is used again is named", () => {
  assertNamed("duplicate-message-id", repeatMessageId);
});

test("a system message that is not at the start is named", () => {
  assertNamed("system-not-at-start", insertSystem);
});

test("an assistant message that says nothing is named", () => {
  assertNamed("empty-content", emptyReply);
});

test("a failed reply with calls is named", () => {
  assertNamed("call-in-failed-message", failReplyWithCalls);
});
