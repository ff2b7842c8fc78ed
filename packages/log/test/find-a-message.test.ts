/** Looking up messages by id, in short transcripts and in long ones. */
import { expect, test } from "vitest";
import { TranscriptFold } from "../src/folds/transcript-fold.ts";

const message = (index: number) => ({ role: "user", id: `m${index}`, content: "Hi" }) as const;
const messages = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => message(from + index));

test.each([[3], [1_000]])("of %i messages each is found, also those added later", (count) => {
  const transcript = new TranscriptFold();
  transcript.add(messages(0, count));
  const isLastFound = transcript.has(`m${count - 1}`);
  transcript.add([message(count)]);

  expect(isLastFound).toBe(true);
  expect(transcript.has("m0")).toBe(true);
  expect(transcript.has(`m${count}`)).toBe(true);
  expect(transcript.has(`m${count + 1}`)).toBe(false);
});

test("a message that was cut off or replaced is not found any more, however many are left", () => {
  const transcript = new TranscriptFold();
  transcript.add(messages(0, 200));
  transcript.has("m0");
  transcript.cut(100);
  const afterCut = ["m0", "m99", "m100"].map((id) => transcript.has(id));
  transcript.replace(messages(500, 600));

  expect(afterCut).toEqual([true, true, false]);
  expect(["m0", "m500", "m599"].map((id) => transcript.has(id))).toEqual([false, true, true]);
});
