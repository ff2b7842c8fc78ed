/** What can be done to a session, in any order and at any time. */
import type { SendOptions, SessionSettings } from "@capstan/core";
import * as fc from "fast-check";

export type Operation =
  /** What is said is what the model does: words for one step, and those of the next behind a bar. */
  | { readonly do: "send"; readonly text: string; readonly options: SendOptions }
  | { readonly do: "steer" | "followUp"; readonly text: string }
  /** One of the calls that waited at some time, the last ones first. */
  | { readonly do: "answer"; readonly which: number; readonly how: "right" | "wrong" | "forged" }
  | { readonly do: "configure"; readonly settings: SessionSettings }
  | { readonly do: "clearQueue"; readonly queue: "steering" | "followUp" | "all" }
  | { readonly do: "abort" | "continue" | "compact" | "loadHistory" | "clearHistory" | "reset" }
  /** To the message at this index, counted around. */
  | { readonly do: "rewind"; readonly at: number; readonly before: boolean }
  | { readonly do: "pass"; readonly ms: number };

/** The tools that the model can be told to call, two ways for it to fail, and one to take its time. */
const word = fc.constantFrom(
  "echo",
  "slow",
  "slow",
  "guarded",
  "remote",
  "remote",
  "hurried",
  "fail",
  "break",
  "muse",
);

const text = fc
  .array(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
    { maxLength: 2 },
  )
  .map((steps) => steps.join(" | "));

const options: fc.Arbitrary<SendOptions> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  fc.constantFrom<SendOptions>({ temperature: 0.5 }, { maxTokens: 9, thinkingLevel: "high" }),
);

const settings: fc.Arbitrary<SessionSettings> = fc.constantFrom<SessionSettings>(
  { thinkingLevel: "low" },
  { instructions: "Be brief." },
  { tools: ["echo", "remote"] },
  { tools: ["echo", "slow", "guarded", "remote", "hurried"] },
  { title: "Trains" },
  { followUpMode: "all", steeringMode: "all" },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant("send" as const), text: text.map(spoken), options }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("steer" as const, "followUp" as const),
      text: text.map(spoken),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      which: fc.nat({ max: 3 }),
      how: fc.constantFrom("right" as const, "right" as const, "wrong" as const, "forged" as const),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      ms: fc.constantFrom(0, 100, 150, 600),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ do: fc.constant("configure" as const), settings }), weight: 2 },
  {
    arbitrary: fc.record({
      do: fc.constant("rewind" as const),
      at: fc.nat({ max: 20 }),
      before: fc.boolean(),
    }),
    weight: 2,
  },
  fc.record({
    do: fc.constant("clearQueue" as const),
    queue: fc.constantFrom("steering" as const, "followUp" as const, "all" as const),
  }),
  {
    arbitrary: fc.record({
      do: fc.constantFrom(
        "abort" as const,
        "continue" as const,
        "compact" as const,
        "loadHistory" as const,
        "clearHistory" as const,
        "reset" as const,
      ),
    }),
    weight: 3,
  },
);

/** Something is always said. */
function spoken(words: string): string {
  return words === "" ? "nothing" : words;
}

export function operations(maxLength: number): fc.Arbitrary<readonly Operation[]> {
  return fc.array(operation, { minLength: 1, maxLength });
}
