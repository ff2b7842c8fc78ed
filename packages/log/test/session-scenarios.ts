/** Sessions in which anything may happen: replies and tools of every kind, posts at any time, and processes that die. */
import { callTool, callToolRaw, finish, say } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import * as fc from "fast-check";
import { readable } from "../../kernel/test/arbitrary-script.ts";

interface Crash {
  /** The process dies in this call of its journal. */
  readonly at: number;
  /** Whether what the call was given is in the log. */
  readonly isRecorded: boolean;
}

interface TimedPost {
  /** Just before this call of the journal, counted over all processes. */
  readonly at: number;
  readonly what: "steer" | "follow_up" | "cancel" | "clear" | "all at once" | Change;
}

/** Changes to a session between its turns: they have no effect while one runs. */
export type Change = "configure" | "input" | "go on" | "forget" | "load" | "rewind";

export interface SessionScenario {
  /** The replies of the steps of every chain of turns, in order; a last one is added. */
  readonly steps: readonly { readonly failures: number; readonly reply: readonly ScriptItem[] }[];
  readonly crashes: readonly Crash[];
  readonly posts: readonly TimedPost[];
  /** Each at the next rest. */
  readonly changes: readonly Change[];
  readonly inputs: number;
  /** Answers come while the turn runs, or when it waits: all of them, or one by one. */
  readonly answers: "early" | "together" | "one by one";
  readonly isDenying: boolean;
  readonly isJournalAsync: boolean;
  readonly mode: "parallel" | "sequential";
  /** After so many steps a turn is asked for a closing report. */
  readonly maxSteps: number;
}

const toolNames = ["pure", "idempotent", "once", "checked", "guarded", "alone", "remote"] as const;

const calling: fc.Arbitrary<ScriptItem> = fc.oneof(
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...toolNames), fc.nat({ max: 2 }))
      .map(([name, n]) => callTool(name, { n }, { argumentDeltas: 2 })),
    weight: 9,
  },
  fc.constantFrom(callTool("gone"), callToolRaw("once", "{not json")),
);

const step = fc.record({
  failures: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.constantFrom(1, 2)),
  reply: fc
    .tuple(
      fc.array(fc.constant(say(["So", " be", " it"])), { maxLength: 1 }),
      fc.array(calling, { maxLength: 4 }),
      fc.oneof({ arbitrary: fc.constant([]), weight: 8 }, fc.constant([finish("length")])),
    )
    .map((items) => items.flat().map(readable)),
});

const posts = fc.oneof(
  { arbitrary: fc.constantFrom<TimedPost["what"]>("steer", "follow_up"), weight: 4 },
  fc.constantFrom<TimedPost["what"]>("cancel", "clear", "all at once"),
);

const change = fc.constantFrom<Change>("configure", "input", "go on", "forget", "load", "rewind");

export const sessionScenarios: fc.Arbitrary<SessionScenario> = scenariosWith(posts, 0);

/** The same, with other configurations, inputs and pasts, at rest and at other times. */
export const changingScenarios: fc.Arbitrary<SessionScenario> = scenariosWith(
  fc.oneof(posts, change),
  4,
);

function scenariosWith(
  what: fc.Arbitrary<TimedPost["what"]>,
  maxChanges: number,
): fc.Arbitrary<SessionScenario> {
  return fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    crashes: fc.array(fc.record({ at: fc.nat({ max: 12 }), isRecorded: fc.boolean() }), {
      maxLength: 4,
    }),
    posts: fc.array(fc.record({ at: fc.nat({ max: 20 }), what }), { maxLength: 3 }),
    changes: fc.array(change, { maxLength: maxChanges }),
    inputs: fc.integer({ min: 1, max: 2 }),
    answers: fc.constantFrom("early", "together", "one by one"),
    isDenying: fc.boolean(),
    isJournalAsync: fc.boolean(),
    mode: fc.constantFrom("parallel", "sequential"),
    maxSteps: fc.constantFrom(1, 2, 10),
  });
}
