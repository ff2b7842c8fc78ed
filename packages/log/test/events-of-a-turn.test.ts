import type { ChatMessage } from "@capstan/kernel";
import { eventsOf, isLiveOnly } from "@capstan/log";
import {
  callTool,
  checkEvents,
  echoTool,
  failBefore,
  manualClock,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { circumstances, runUnder } from "../../kernel/test/circumstances.ts";
import type { Circumstances, ObservedTurn } from "../../kernel/test/circumstances.ts";
import { logOfTurn, toSessionEvent, withoutLiveOnly } from "./log-of-turn.ts";
import type { LoggedTurn, Shown } from "./log-of-turn.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 500);

const question: ChatMessage = { role: "user", id: "u1", content: "Hello" };

/** Any turn that is run from its beginning, and whose journal works. */
const turns = circumstances.map((given) => {
  const isAsync = given.journal?.isAsync ?? false;
  const journal = { isAsync, failsAt: undefined, fault: "throws" } as const;
  // Without a timer an abort ends the wait for a journal that takes its time, and the turn fails.
  return { ...given, entered: undefined, journal, hasTimer: given.hasTimer || isAsync };
});

test("the events of a turn, without those that are live-only, are the events of its entries", async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (given) => {
      const turn = await runUnder(given);
      const { log } = logged(given, turn);

      const events = eventsOf("c1", log.entries).map(({ event }) => event);
      expect(events).toEqual(withoutLiveOnly(turn.events.map(toSessionEvent)));
    }),
    { numRuns },
  );
}, 600_000);

test("a step that is cut off while the next attempt waits ends in the events as in the log", async () => {
  const happenings: Shown[] = [];
  const clock = manualClock();
  const running = runToEnd({
    provider: scriptedProvider([callTool("echo"), failBefore("network"), say("Hi")]),
    tools: [echoTool()],
    limits: { retry: { maxAttempts: 2, baseDelayMs: 10_000 }, deadlines: { turnMs: 5_000 } },
    clock: { timer: clock.timer },
    journal: { record: (facts) => void happenings.push({ type: "facts", facts }) },
  });
  await clock.advance(5_000);
  const turn = await running;

  const { log } = logOfTurn(happenings, { history: [question], steering: [] });

  const ends = turn.recorder.ofType("step_end").map(({ finishReason }) => finishReason);
  expect(ends).toEqual(["tool-calls", "aborted"]);
  const events = eventsOf("c1", log.entries).map(({ event }) => event);
  expect(events).toEqual(withoutLiveOnly(turn.events.map(toSessionEvent)));
});

test("a turn that shows no facts shows what is live-only, as it was, and comes to the same", async () => {
  // No callback reacts to an event.
  const unseen = turns.map(({ abortAt, callbacks, broken, ...given }) => ({
    ...given,
    abortAt: abortAt !== undefined && "wait" in abortAt ? abortAt : undefined,
    callbacks: callbacks.filter(isDeaf),
    broken: isDeaf(broken?.callback) ? broken : undefined,
  }));
  await fc.assert(
    fc.asyncProperty(unseen, async (given) => {
      const turn = await runUnder(given);
      const quiet = await runUnder(given, { showsFacts: false });

      expect(quiet.events).toEqual(turn.events.filter(isLiveOnly));
      expect(quiet.transcript).toEqual(turn.transcript);
    }),
    { numRuns },
  );
}, 600_000);

test("what readers of a session see of a turn is a valid order of events", async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (given) => {
      const { shown } = logged(given, await runUnder(given));

      expect(checkEvents(shown)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("the messages that the log tells of are those that the turn gave back", async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (given) => {
      const turn = await runUnder(given);
      const { feed } = logged(given, turn);

      expect(feed.fold.transcript.messages).toEqual(turn.transcript);
      expect(feed.fold.pending).toEqual(turn.pending ?? []);
      expect(feed.fold.turn?.usage).toEqual(turn.usage);
    }),
    { numRuns },
  );
}, 600_000);

function logged(given: Circumstances, turn: ObservedTurn): LoggedTurn {
  const history = turn.transcript.slice(0, turn.transcript.length - turn.messages.length);
  const steering = given.steering.flatMap((count, at) =>
    Array.from({ length: count }, (_, index): ChatMessage => {
      return { role: "user", id: `steer-${at}-${index}`, content: "Only indoors" };
    }),
  );
  return logOfTurn(turn.happenings.flatMap(toShown), { history, steering });
}

function toShown(happening: ObservedTurn["happenings"][number]): Shown[] {
  if (happening.type === "event")
    return [{ type: "event", event: toSessionEvent(happening.event) }];
  return happening.type === "fact" ? [{ type: "facts", facts: [happening.fact] }] : [];
}

function isDeaf(callback: string | undefined): boolean {
  return callback !== "answers" && callback !== "emit";
}
