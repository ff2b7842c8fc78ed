import { eventsOf, foldEntries } from "@capstan/log";
import type { Entry, PlacedEvent, SessionEvent } from "@capstan/log";
import { checkTranscript } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { withoutLiveOnly } from "./log-of-turn.ts";
import { playSession, stored } from "./play-session.ts";
import type { PlayedSession } from "./play-session.ts";
import { sessionScenarios } from "./session-scenarios.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);

test("however often its processes die, a session comes to rest with a valid transcript and one end for each turn", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, async (scenario) => {
      const session = await playSession(scenario);

      const fold = foldEntries(stored(session.entries));
      expect(checkTranscript(fold.transcript.messages)).toEqual([]);
      expect(endedTurns(session)).toEqual(startedTurns(session));
      expect(fold.nextAction(0)).toEqual({ type: "none" });
    }),
    { numRuns },
  );
}, 600_000);

test("no tool runs twice that must not, and a second run has the same key", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, async (scenario) => {
      const { effects } = await playSession(scenario);

      const repeated = effects.filter(({ toolCallId }, at) =>
        effects.slice(0, at).some((earlier) => earlier.toolCallId === toolCallId),
      );
      const keys = new Map(effects.map(({ toolCallId, key }) => [toolCallId, key]));
      expect(repeated.filter(({ toolName }) => !mayRepeat.has(toolName))).toEqual([]);
      expect(effects.filter(({ toolCallId, key }) => keys.get(toolCallId) !== key)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("every attempt has a number of its own in its step, whichever process makes it", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, async (scenario) => {
      const { entries } = await playSession(scenario);

      const numbers = entries.flatMap((entry) =>
        entry.type === "attempt" ? [`${entry.turnId} ${entry.step} ${entry.attempt}`] : [],
      );
      expect(numbers).toEqual([...new Set(numbers)]);
    }),
    { numRuns },
  );
}, 600_000);

test("a cancel that was not refused ends the turn that it names, whichever process comes to that end", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, async (scenario) => {
      const { entries } = await playSession(scenario);

      const fold = foldEntries(stored(entries));
      const cancels = entries.filter(
        ({ type, id }) => type === "cancel_requested" && fold.refusalOf(id) === undefined,
      );
      const ends = cancels.map(({ seq }) => entries.slice(seq).find(isRest));
      expect(ends).toEqual(ends.map(() => expect.objectContaining({ finishReason: "aborted" })));
    }),
    { numRuns },
  );
}, 600_000);

test("every queued message is delivered once, or given back", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, async (scenario) => {
      const session = await playSession(scenario);

      const fold = foldEntries(stored(session.entries));
      const ids = session.entries.filter(isQueued).map(({ id }) => id);
      const places = ids.map((id) => [
        ...fold.transcript.messages.filter((message) => message.id === id).map(() => "delivered"),
        ...session.entries.filter((entry) => isReturnOf(entry, id)).map(() => "returned"),
        ...fold.queues.items.filter((item) => item.id === id).map(() => "held"),
      ]);
      expect(places.filter((found) => found.length !== 1)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("the events of a turn that goes on are those of the entries that it wrote", async () => {
  await fc.assert(
    fc.asyncProperty(sessionScenarios, async (scenario) => {
      const { entries, runs } = await playSession(scenario);

      const placed = eventsOf("s1", entries);
      const shown = runs.map((run) => withoutLiveOnly(run.events));
      const told = runs.map((run, at) =>
        placed
          .filter(isIn(run))
          .map(({ event }) => event)
          .filter((event) => !isEndOfForeignStep(event, run, shown[at] ?? [])),
      );
      expect(shown).toEqual(told);
    }),
    { numRuns },
  );
}, 600_000);

const mayRepeat: ReadonlySet<string> = new Set(["pure", "idempotent"]);

/** A process that ends a turn at once knows nothing of the attempt that the one before it died in; the log ends that step. */
function isEndOfForeignStep(
  event: SessionEvent,
  { isResumed }: PlayedSession["runs"][number],
  shown: readonly SessionEvent[],
): boolean {
  return isResumed && event.type === "step_end" && !shown.some(({ type }) => type === "step_end");
}

function startedTurns({ entries }: PlayedSession): string[] {
  return entries.flatMap((entry) => (entry.type === "turn_started" ? [entry.turnId] : []));
}

function endedTurns({ entries }: PlayedSession): string[] {
  return entries.flatMap((entry) => (entry.type === "turn_ended" ? [entry.turnId] : []));
}

/** Whether the entry ends a turn that waits for nothing. */
function isRest(entry: Entry): boolean {
  return entry.type === "turn_ended" && entry.pending === undefined;
}

function isQueued({ type }: Entry): boolean {
  return type === "steer" || type === "follow_up";
}

function isReturnOf(entry: Entry, id: string): boolean {
  if (entry.type !== "queue_settled" || entry.outcome.type !== "returned") return false;
  return entry.ids.includes(id);
}

function isIn({ entries }: PlayedSession["runs"][number]): (placed: PlacedEvent) => boolean {
  const [first, last] = [entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0];
  return ({ cursor }) => cursor.seq >= first && cursor.seq <= last;
}
