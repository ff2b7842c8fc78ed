import type { SessionFold } from "@capstan/log";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Written } from "./fold-of.ts";
import { addTo, ended, foldOf, input, reply, started } from "./fold-of.ts";

/** Something that a turn records. The number chooses what it is about. */
type Happening = readonly [
  what: "step" | "answer" | "evict" | "compact" | "quarantine" | "turn",
  which: number,
];

const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.tuple(
    fc.constantFrom("step", "step", "answer", "evict", "compact", "quarantine", "turn"),
    fc.nat(99),
  ),
  { maxLength: 20 },
);

/** Entries of turns in which these things happen. Ids of calls repeat, as those of some vendors do. */
function entriesOf(name: string, happened: readonly Happening[]): Written[] {
  const fold = foldOf();
  const entries: Written[] = [];
  let turns = 0;
  let step = 0;
  const write = (...more: readonly Written[]): void => {
    entries.push(...more);
    addTo(fold, ...more);
  };
  const turnId = (): string => `${name}-t${turns}`;
  const start = (): void => {
    if (turns > 0) write(ended(turnId()));
    turns += 1;
    write(input(turnId()), started(turnId(), turnId()));
  };
  start();
  for (const [what, which] of happened) {
    const at = { turnId: turnId(), step: (step += 1) } as const;
    const { messages } = fold.transcript;
    const message = messages[which % messages.length];
    if (what === "turn") start();
    else if (what === "step" || what === "answer") {
      const calls = what === "answer" ? [] : [`c${which % 5}`, `${name}-${step}`];
      write({ type: "message", ...at, message: reply(`${name}-a${step}`, ...calls) });
      for (const toolCallId of calls) {
        const result = { isError: false, output: "o".repeat(which * 10) } as const;
        write({ type: "tool_result", ...at, toolCallId, toolName: "pick", result });
      }
    } else if (what === "evict") {
      const { shown } = fold.outputs;
      const toolCallIds = shown.slice(0, which % 4).map((output) => output.toolCallId);
      write({ type: "eviction", turnId: turnId(), toolCallIds });
    } else if (message !== undefined && what === "quarantine") {
      write({ type: "quarantine", turnId: turnId(), messageId: message.id, part: 0 });
    } else if (message !== undefined && message.role !== "tool") {
      const summary = `Summary ${which}`;
      const { id: through } = message;
      write({ type: "compaction", turnId: turnId(), through, summary, before: 9, after: 1 });
    }
  }
  write(ended(turnId()));
  return entries;
}

function stateOf({ transcript, context, outputs }: SessionFold) {
  return {
    messages: transcript.messages,
    evicted: [...context.evicted],
    summary: context.summary,
    quarantined: context.quarantined,
    changed: transcript.messages.map((_, index) => context.isAfterChange(index)),
    shown: outputs.shown,
    size: outputs.size,
    count: outputs.countOf("pick"),
  };
}

/** State before the first entry that leads to more messages. */
function endedAt(entries: readonly Written[], length: number): SessionFold {
  const last = entries.findIndex(
    (_, index) => foldOf(...entries.slice(0, index + 1)).transcript.length > length,
  );
  return foldOf(...(last === -1 ? entries : entries.slice(0, last)));
}

test("a rewound log has the transcript, context and outputs of a log that ended at that message", () => {
  fc.assert(
    fc.property(happenings, fc.nat(), fc.boolean(), (happened, which, isBefore) => {
      const entries = entriesOf("a", happened);
      const fold = foldOf(...entries);
      const { messages } = fold.transcript;
      const to = messages[which % messages.length]?.id ?? "";
      addTo(fold, { type: "history_rewound", to, isBefore });

      expect(stateOf(fold)).toEqual(stateOf(endedAt(entries, fold.transcript.length)));
    }),
  );
});

test("turns after a rewind, and further rewinds, are those of a log without what was cut away", () => {
  fc.assert(
    fc.property(happenings, happenings, fc.nat(), fc.nat(), (first, second, one, two) => {
      const entries = entriesOf("a", first);
      const fold = foldOf(...entries);
      const rewind = (which: number): void => {
        const { messages } = fold.transcript;
        addTo(fold, { type: "history_rewound", to: messages[which % messages.length]?.id ?? "" });
      };
      rewind(one);
      const plain = endedAt(entries, fold.transcript.length);
      const turnId = plain.turn?.isOver === false ? [plain.turn.turnId] : [];
      const { acceptedInput } = plain;
      const begun = entries.slice(0, plain.seq - (acceptedInput === undefined ? 0 : 1));
      const kept = [...begun, ...turnId.map((id) => ended(id))];
      const later = entriesOf("b", second);
      addTo(fold, ...later);
      expect(stateOf(fold)).toEqual(stateOf(foldOf(...kept, ...later)));

      rewind(two);
      expect(stateOf(fold)).toEqual(stateOf(endedAt([...kept, ...later], fold.transcript.length)));
    }),
  );
});
