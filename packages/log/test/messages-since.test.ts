import { SessionFold, foldEntries } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { playSession, stored } from "./play-session.ts";
import { sessionScenarios } from "./session-scenarios.ts";

test("the messages that came between two entries are those that folds up to them differ by", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, fc.nat(), fc.nat(), async (scenario, a, b) => {
      const entries = stored((await playSession(scenario)).entries);
      const [after = 0, through = 0] = [a, b]
        .map((seq) => seq % (entries.length + 1))
        .toSorted((x, y) => x - y);
      const replacedAt =
        entries.findLast(({ type }) => type === "history_loaded" || type === "history_cleared")
          ?.seq ?? 0;
      const lengthAt = (seq: number): number =>
        seq < replacedAt ? 0 : foldEntries(entries.slice(0, seq)).transcript.length;

      const { transcript } = foldEntries(entries);

      const expected = transcript.messages.slice(lengthAt(after), lengthAt(through));
      expect(transcript.between(after, through)).toEqual(expected);
    }),
  );
}, 600_000);

const message = (id: string) => ({ role: "user", id, content: id }) as const;
const at = (seq: number) => ({ v: 1, id: `e${seq}`, seq, at: 0 }) as const;

test("after a new history all of it is new", () => {
  const fold = new SessionFold();
  fold.apply({ ...at(1), type: "created", agent: "helper" });
  fold.apply({ ...at(2), type: "history_loaded", messages: [message("a"), message("b")] });
  fold.apply({ ...at(3), type: "history_loaded", messages: [message("c")] });

  expect(fold.transcript.between(0, 2)).toEqual([]);
  expect(fold.transcript.between(2, 3)).toEqual([message("c")]);
  expect(fold.transcript.between(3, 3)).toEqual([]);
});
