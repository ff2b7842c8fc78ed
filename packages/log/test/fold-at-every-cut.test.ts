import { applyStored, entryVersion, EventFeed, foldEntries, SessionFold } from "@capstan/log";
import type { Entry, StoredEntry } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stateOf as shownState } from "./fold-state.ts";
import { playSession, stored } from "./play-session.ts";
import { changingScenarios } from "./session-scenarios.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

test("a log that is read in two parts folds to the same state wherever it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(changingScenarios, async (scenario) => {
      const { entries } = await playSession(scenario);
      const log = stored(entries);

      const whole = stateOf(foldEntries(log), log);
      const states = entries.map((_, cut) => {
        const fold = foldEntries(log.slice(0, cut));
        // Reading the state at the cut changes nothing.
        stateOf(fold, log);
        fold.transcript.startPoint();
        applyStored(fold, log.slice(cut));
        return stateOf(fold, log);
      });

      expect(states.filter((state) => JSON.stringify(state) !== JSON.stringify(whole))).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("a fold that drops the spare room of its lists at any moment says the same", async () => {
  await fc.assert(
    fc.asyncProperty(changingScenarios, async (scenario) => {
      const { entries } = await playSession(scenario);

      const fold = new SessionFold();
      const feed = new EventFeed("s1");
      for (const entry of entries) {
        fold.apply(entry);
        feed.take([entry]);
        feed.trim();
        expect(stateOf(feed.fold, entries)).toEqual(stateOf(fold, entries));
      }
    }),
    { numRuns },
  );
}, 600_000);

test("a log folds to the same state live and from what a store gives back", async () => {
  await fc.assert(
    fc.asyncProperty(changingScenarios, async (scenario) => {
      const { entries } = await playSession(scenario);

      const live = new SessionFold();
      for (const entry of entries) live.apply(entry);

      expect(stateOf(live, entries)).toEqual(stateOf(foldEntries(stored(entries)), entries));
    }),
    { numRuns },
  );
}, 600_000);

test("reads that overlap, and entries that only a newer program knows, change nothing but the seq", async () => {
  await fc.assert(
    fc.asyncProperty(changingScenarios, fc.nat(), fc.nat(), async (scenario, at, overlap) => {
      const { entries } = await playSession(scenario);
      const log = stored(entries);
      const cut = at % log.length;
      const moved = [...log.slice(0, cut), fromTheFuture(cut + 1), ...log.slice(cut).map(oneLater)];

      const fold = foldEntries(moved.slice(0, cut + 1));
      applyStored(fold, moved.slice(overlap % (cut + 1)));

      expect(placeless(stateOf(fold, log))).toEqual(placeless(stateOf(foldEntries(log), log)));
      expect(fold.seq).toBe(log.length + 1);
    }),
    { numRuns },
  );
}, 600_000);

/** With what the next request, or a turn that goes on, would be made of. */
function stateOf(fold: SessionFold, log: readonly (Entry | StoredEntry)[]) {
  const { title, prompt, turn } = fold;
  const { config, origin } = turn ?? {};
  return { ...shownState(fold, log), title, prompt: prompt?.id, startedWith: { config, origin } };
}

function fromTheFuture(seq: number): StoredEntry {
  return { v: entryVersion + 1, type: "message", id: "future", at: 0, seq };
}

function oneLater(entry: StoredEntry): StoredEntry {
  return { ...entry, seq: entry.seq + 1 };
}

function placeless({ seq: _seq, head: _head, ...state }: ReturnType<typeof stateOf>) {
  return state;
}
