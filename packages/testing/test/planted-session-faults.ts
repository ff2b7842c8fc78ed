/** Stores that break what sessions promise about settings, forks, answers and other pasts, one promise each. */
import type { PendingCall } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import type { NewEntry, SessionRepository, StoredEntry } from "@capstan/log";
import type { CreateStore } from "@capstan/testing/crash";
import { altering, dropping, forking, postingLate } from "./faulty-stores.ts";
import type { PlantedFault } from "./planted-faults.ts";

export const plantedSessionFaults: readonly PlantedFault[] = [
  {
    name: "what a turn is sent with is not stored",
    scenario: "one turn that differs",
    caughtAs: "requests",
    createStore: altering((entry) => {
      if (entry.type !== "input") return entry;
      const { options: _, ...rest } = entry;
      return rest;
    }),
  },
  {
    name: "the app context of a send is not stored",
    scenario: "who is asking",
    caughtAs: "asking",
    createStore: withoutApp("input"),
  },
  {
    name: "the app context of a queued message is not stored",
    scenario: "who is asking",
    caughtAs: "asking",
    createStore: withoutApp("follow_up"),
  },
  {
    name: "the choice for a step is not stored",
    scenario: "steps that are prepared",
    caughtAs: "requests",
    createStore: dropping(["step_prepared"]),
  },
  {
    name: "what a guard rejects is not stored as rejected",
    scenario: "guards that reject",
    caughtAs: "requests",
    createStore: dropping(["input_rejected"]),
  },
  {
    name: "a part that is left out from now on is not stored as such",
    scenario: "an image that models reject",
    caughtAs: "requests",
    createStore: dropping(["quarantine"]),
  },
  {
    name: "queued messages are said to be taken back, and are not",
    scenario: "a reset while others send",
    caughtAs: "rest",
    createStore: altering((entry) => (entry.type === "queue_cleared" ? undefined : entry)),
  },
  {
    name: "a configuration is acknowledged before it is written",
    scenario: "configured in mid-turn",
    caughtAs: "acknowledged",
    createStore: postingLate,
  },
  {
    name: "a turn starts with what was configured before, though its owner has not seen the last",
    scenario: "configured at any time",
    caughtAs: "requests",
    createStore: startingBlindly,
  },
  {
    name: "what requests begin with is not recorded",
    scenario: "instructions that are asked for",
    caughtAs: "requests",
    createStore: dropping(["prompt"]),
  },
  {
    name: "a turn starts with a history that was cleared in the meantime",
    scenario: "a past that is cleared at any time",
    caughtAs: "requests",
    createStore: startingBlindly,
  },
  {
    name: "another past is acknowledged before it is written",
    scenario: "another past",
    caughtAs: "acknowledged",
    createStore: postingLate,
  },
  {
    name: "an input without messages is acknowledged and lost",
    scenario: "going on after a failure",
    caughtAs: "stuck",
    createStore: altering((entry) => {
      return entry.type === "input" && entry.messages.length === 0 ? undefined : entry;
    }),
  },
  {
    name: "a summary is asked for, and that is not recorded",
    scenario: "a context that does not fit",
    caughtAs: "requests",
    createStore: dropping(["compaction_started"]),
  },
  {
    name: "a summary is acknowledged and dropped",
    scenario: "a context that does not fit",
    caughtAs: "events",
    createStore: dropping(["compaction"]),
  },
  {
    name: "a compaction is said to be asked for, and is not",
    scenario: "compacted on request, while others send",
    caughtAs: "stuck",
    createStore: altering((entry) => (entry.type === "compact" ? undefined : entry)),
  },
  {
    name: "an answer is acknowledged and lost",
    scenario: "answers among local calls",
    caughtAs: "stuck",
    createStore: altering((entry) => (entry.type === "answer" ? undefined : entry)),
  },
  {
    name: "calls are settled by a message, and the message is lost",
    scenario: "a message instead of answers",
    caughtAs: "requests",
    createStore: altering((entry) =>
      entry.type === "input" && entry.settles !== undefined ? { ...entry, messages: [] } : entry,
    ),
  },
  {
    name: "a message that settles calls is acknowledged and lost",
    scenario: "a message instead of answers",
    caughtAs: "stuck",
    createStore: altering((entry) =>
      entry.type === "input" && entry.settles !== undefined ? undefined : entry,
    ),
  },
  {
    name: "a turn is said to be dropped, and is not",
    scenario: "a turn that is dropped while its calls wait",
    caughtAs: "stuck",
    createStore: altering((entry) => (entry.type === "abandon_requested" ? undefined : entry)),
  },
  {
    name: "a decision about something else is stored as one about what waits",
    scenario: "a forged approval",
    caughtAs: "acknowledged",
    createStore: altering((entry, store, id) => {
      if (entry.type !== "decision") return entry;
      return { ...entry, hash: hashOf(store.read(id).entries, entry.toolCallId) ?? entry.hash };
    }),
  },
  {
    name: "a denial is stored as an approval",
    scenario: "a decision that is taken back",
    caughtAs: "acknowledged",
    createStore: altering((entry) =>
      entry.type === "decision" ? { ...entry, isApproved: true } : entry,
    ),
  },
  {
    name: "a fork is stored without what says that it is one",
    scenario: "a fork at rest",
    caughtAs: "fork",
    createStore: forking((entries) => entries.slice(0, -1)),
  },
  {
    name: "a fork begins with what waits in its original",
    scenario: "a fork in mid-turn, on another host",
    caughtAs: "fork",
    createStore: forking((entries, original) => [
      ...entries.slice(0, -1),
      ...original.filter(({ type }) => type === "follow_up").map(asNew),
      ...entries.slice(-1),
    ]),
  },
  {
    name: "a fork is cut in the middle of a step",
    scenario: "a fork at a message",
    caughtAs: "fork",
    createStore: forking((entries) => {
      const last = entries.findLastIndex(({ type }) => type === "tool_result");
      return entries.toSpliced(last, 1);
    }),
  },
  {
    name: "a fork goes on with the calls of its original",
    scenario: "a fork in mid-turn, on another host",
    caughtAs: "effects",
    createStore: forking((entries, original) => {
      // All that was there, and nothing that ends the turn.
      const forked = entries.filter(({ type }) => type === "forked_from");
      return [...original.map(asNew), ...forked.map((entry) => ({ ...entry, id: "forked" }))];
    }),
  },
];

/** Writes the entry that starts a turn, whatever was posted in the meantime. */
function startingBlindly(options: { readonly now: () => number }): SessionRepository {
  const store = memoryRepository(options);
  return {
    ...store,
    append: (id, entries, { onlyIfSeq, ...rest }) => {
      const isStart = entries[0]?.type === "turn_started";
      const isConditional = onlyIfSeq !== undefined && !isStart;
      return store.append(id, entries, isConditional ? { ...rest, onlyIfSeq } : rest);
    },
  };
}

function hashOf(entries: readonly StoredEntry[], toolCallId: string): string | undefined {
  const waiting = entries.flatMap((entry) => {
    // The store keeps entries as they were written.
    const { type, pending } = entry as unknown as NewEntry & { pending?: readonly PendingCall[] };
    return type === "pending" ? (pending ?? []) : [];
  });
  return waiting.find((call) => call.toolCallId === toolCallId)?.hash;
}

function asNew({ seq, ...entry }: StoredEntry): NewEntry {
  const id = entry.id.includes("~") ? `0~${seq}` : entry.id;
  // The store keeps entries as they were written.
  return { ...entry, id } as unknown as NewEntry;
}

function withoutApp(type: "input" | "follow_up"): CreateStore {
  return altering((entry) => {
    if (entry.type !== type) return entry;
    const { app: _, ...rest } = entry;
    return rest;
  });
}
