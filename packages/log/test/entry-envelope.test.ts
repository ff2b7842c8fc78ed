import { checkEnvelopes } from "@capstan/log";
import { expect, test } from "vitest";

const entriesOf = (ids: readonly string[]) =>
  ids.map((id) => ({ v: 1, type: "history_cleared", id, at: 0 }) as const);

const ids = Array.from({ length: 20 }, (_, place) => `e${place}`);

test.each([2, 7, 8, 20])("of %i entries none may have the id of another", (count) => {
  const different = ids.slice(0, count);
  const repeated = [...different.slice(0, -1), "e0"];

  expect(() => checkEnvelopes("s", entriesOf(different))).not.toThrow();
  expect(() => checkEnvelopes("s", entriesOf(repeated))).toThrow('have the id "e0"');
});
