/** Stores with one fault each, made from one in memory: the simulator has to catch every one of them. */
import type { PostedEntry } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { AlterHost, CrashViolationCode, CreateStore } from "@capstan/testing/crash";
import {
  claimingOnly,
  dropping,
  postingLate,
  renewingAlways,
  withoutEpochs,
  withoutFence,
  withoutState,
  writingLate,
} from "./faulty-stores.ts";

export interface PlantedFault {
  /** Description of the fault. */
  readonly name: string;
  /** Scenario that catches it, and the violation's code. */
  readonly scenario: string;
  readonly caughtAs: CrashViolationCode;
  readonly createStore?: CreateStore;
  readonly alterHost?: AlterHost;
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "a tool intent is written after the effect",
    scenario: "parallel tools",
    caughtAs: "effects",
    createStore: writingLate(["tool_intent"]),
  },
  {
    name: "the start of a turn is acknowledged and written with the next append",
    scenario: "parallel tools",
    caughtAs: "log",
    createStore: writingLate(["turn_started"]),
  },
  {
    name: "a request is made before its attempt is written",
    scenario: "parallel tools",
    caughtAs: "events",
    createStore: writingLate(["attempt"]),
  },
  {
    name: "calls start before their reply is written",
    scenario: "parallel tools",
    caughtAs: "response",
    createStore: writingLate(["message"]),
  },
  {
    name: "the next request is made before the results are written",
    scenario: "parallel tools",
    caughtAs: "requests",
    createStore: writingLate(["tool_result"]),
  },
  {
    name: "the end of a turn is shown before it is written",
    scenario: "parallel tools",
    caughtAs: "acknowledged",
    createStore: writingLate(["turn_ended"]),
  },
  {
    name: "a suspension is acknowledged and dropped",
    scenario: "calls that suspend themselves",
    caughtAs: "events",
    createStore: dropping(["suspended"]),
  },
  {
    name: "the requestState of an MCP server is not in the log",
    scenario: "a form of an MCP server",
    caughtAs: "effects",
    createStore: withoutState("requestState"),
  },
  {
    name: "the id of a task of an MCP server is not in the log",
    scenario: "a task of an MCP server",
    caughtAs: "effects",
    createStore: withoutState("taskId"),
  },
  {
    name: "the intent of a run after a suspension is written after the effect",
    scenario: "calls that suspend themselves",
    caughtAs: "effects",
    createStore: writingLate(["tool_intent"]),
  },
  {
    name: "the intent of a call within another is written after the effect",
    scenario: "a tool that calls others",
    caughtAs: "effects",
    createStore: writingLate(["nested_intent"]),
  },
  {
    name: "the result of a call within another is acknowledged and dropped",
    scenario: "a tool that calls others",
    caughtAs: "events",
    createStore: dropping(["nested_result"]),
  },
  {
    name: "the end of a child is acknowledged and dropped",
    scenario: "a child with tools",
    caughtAs: "children",
    createStore: dropping(["child_ended"]),
  },
  {
    name: "the end of a child in the background is acknowledged and dropped",
    scenario: "a child in the background ends while its parent is idle",
    caughtAs: "stuck",
    createStore: dropping(["child_ended"]),
  },
  {
    name: "the report of a child in the background is acknowledged and lost",
    scenario: "a child in the background ends while its parent is idle",
    caughtAs: "stuck",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        post: (id, entry) =>
          entry.type === "child_reported"
            ? { seq: store.read(id).lastSeq + 1, isNew: true }
            : store.post(id, entry),
      };
    },
  },
  {
    name: "a child in the background answers for another",
    scenario: "two children in the background, and one is stopped",
    caughtAs: "children",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        post: (id, entry) => store.post(id, withForeignAnswer(entry)),
      };
    },
  },
  {
    name: "a child loses its slice of the budget",
    scenario: "two parallel children share a budget",
    caughtAs: "budget",
    createStore: (options) => {
      const store = memoryRepository(options);
      return { ...store, post: (id, entry) => store.post(id, withoutSlice(entry)) };
    },
  },
  {
    name: "a child does not report what it has spent beyond its slice",
    scenario: "children in turn share a budget",
    caughtAs: "budget",
    createStore: (options) => {
      const store = memoryRepository(options);
      return { ...store, post: (id, entry) => store.post(id, withoutLastRequest(entry)) };
    },
  },
  {
    name: "a handoff is acknowledged and dropped",
    scenario: "a handoff in the middle of a step",
    caughtAs: "events",
    createStore: dropping(["handed_off"]),
  },
  {
    name: "a child that has not reported its end is not due",
    scenario: "a child with tools",
    caughtAs: "stuck",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        append: (id, entries, { head, ...rest }) => {
          const { wakeAt: _wakeAt, ...late } = head ?? {};
          const isAtEnd = entries.some(({ type }) => type === "turn_ended");
          const stored = isAtEnd && head !== undefined ? (late as typeof head) : head;
          return store.append(id, entries, { ...rest, head: stored });
        },
      };
    },
  },
  {
    name: "a queued message is taken from its queue before that is written",
    scenario: "steering",
    caughtAs: "events",
    createStore: writingLate(["queue_settled"]),
  },
  {
    name: "a tool result is acknowledged and dropped",
    scenario: "parallel tools",
    caughtAs: "events",
    createStore: dropping(["tool_result"]),
  },
  {
    name: "the end of a turn is acknowledged and dropped",
    scenario: "parallel tools",
    caughtAs: "stuck",
    createStore: dropping(["turn_ended"]),
  },
  {
    name: "the reply of the model is acknowledged and written with the next append",
    scenario: "retry",
    caughtAs: "events",
    createStore: writingLate(["message"]),
  },
  {
    name: "the resumption of a turn is acknowledged and dropped",
    scenario: "parallel tools",
    caughtAs: "events",
    createStore: dropping(["turn_resumed"]),
  },
  {
    name: "an owner that was followed by another may still append",
    scenario: "a host paused past its lease",
    caughtAs: "fence",
    createStore: withoutFence,
  },
  {
    name: "a turn ends although something was posted that its owner has not seen",
    scenario: "cancel posted from another process",
    caughtAs: "effectless",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        append: (id, entries, { onlyIfSeq: _onlyIfSeq, ...rest }) =>
          store.append(id, entries, rest),
      };
    },
  },
  {
    name: "live frames of an owner that was followed by another are shown as the new one's",
    scenario: "a follower of a host that stands still",
    caughtAs: "events",
    createStore: withoutEpochs,
  },
  {
    name: "a post is acknowledged before it is written, and written by the next append",
    scenario: "several turns",
    caughtAs: "acknowledged",
    createStore: postingLate,
  },
  {
    name: "a post is acknowledged and lost",
    scenario: "follow-ups",
    caughtAs: "acknowledged",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        post: (id, entry) =>
          entry.type === "follow_up"
            ? { seq: store.read(id).lastSeq + 1, isNew: true }
            : store.post(id, entry),
      };
    },
  },
  {
    name: "the same post twice is two entries",
    scenario: "follow-ups",
    caughtAs: "acknowledged",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        post: (id, entry) => {
          const posted = store.post(id, entry);
          return posted.isNew ? posted : store.post(id, { ...entry, id: `${entry.id}-again` });
        },
      };
    },
  },
  {
    name: "unseen posts do not make a session due",
    scenario: "several turns",
    caughtAs: "stuck",
    createStore: claimingOnly(({ isRunning, isAwaited }) => isRunning || isAwaited),
  },
  {
    name: "a deadline does not make a session due",
    scenario: "answers that never come",
    caughtAs: "stuck",
    createStore: claimingOnly(({ isRunning, isPosted }) => isRunning || isPosted),
  },
  {
    name: "a turn under way does not make a session due",
    scenario: "parallel tools",
    caughtAs: "stuck",
    createStore: claimingOnly(({ isAwaited, isPosted }) => isAwaited || isPosted),
  },
  {
    name: "a lease never runs out",
    scenario: "parallel tools",
    caughtAs: "stuck",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        post: (id, entry, { claim, ...rest } = {}) =>
          store.post(id, entry, { ...rest, claim: claim && { ...claim, ttlMs: Infinity } }),
        acquire: (id, owner) => store.acquire(id, owner, Infinity),
        claimDue: (query) => store.claimDue({ ...query, ttlMs: Infinity }),
      };
    },
  },
  {
    name: "a lease is released with an append that does not ask for it",
    scenario: "parallel tools",
    caughtAs: "stuck",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        append: (id, entries, choices) => store.append(id, entries, { ...choices, releases: true }),
      };
    },
  },
  {
    name: "a lost lease can be renewed",
    scenario: "a tool that outlasts its lease",
    caughtAs: "fence",
    createStore: renewingAlways,
  },
  {
    name: "a conflict is answered like an append",
    scenario: "configured at any time",
    caughtAs: "log",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        append: (id, entries, choices) => {
          const appended = store.append(id, entries, choices);
          if (appended.type === "appended") return appended;
          const seqs = entries.map((_, index) => appended.lastSeq + 1 + index);
          return { type: "appended", seqs, lastSeq: appended.lastSeq + entries.length };
        },
      };
    },
  },
  {
    name: "the head of an append is not stored",
    scenario: "parallel tools",
    caughtAs: "rest",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        append: (id, entries, choices) => {
          const [first] = store.list().sessions;
          const head = first?.id === id ? first.head : choices.head;
          return store.append(id, entries, { ...choices, head });
        },
      };
    },
  },
  {
    name: "an append of several entries is cut short",
    scenario: "remote answers late",
    caughtAs: "events",
    createStore: (options) => {
      const store = memoryRepository(options);
      return {
        ...store,
        append: (id, entries, choices) => {
          const whole = store.append(
            id,
            entries.slice(0, Math.max(1, entries.length - 1)),
            choices,
          );
          if (whole.type === "conflict" || entries.length < 2) return whole;
          return { ...whole, seqs: [...whole.seqs, whole.lastSeq + 1], lastSeq: whole.lastSeq + 1 };
        },
      };
    },
  },
];

/** Roughly the size of a request of a child. */
const requestTokens = 600;

function withoutSlice<Posted extends PostedEntry>(entry: Posted): Posted {
  if (entry.type !== "input") return entry;
  const { budget: _, ...rest } = entry;
  return rest as Posted;
}

/** A report that leaves out about one request. */
function withoutLastRequest<Posted extends PostedEntry>(entry: Posted): Posted {
  if (entry.type !== "child_reported" || entry.report.type !== "ended") return entry;
  const { inputTokens = 0 } = entry.report.usage;
  const usage = { ...entry.report.usage, inputTokens: Math.max(0, inputTokens - requestTokens) };
  return { ...entry, report: { ...entry.report, usage } };
}

/** A report with an answer that the child did not give. */
function withForeignAnswer<Posted extends PostedEntry>(entry: Posted): Posted {
  if (entry.type !== "child_reported" || entry.report.type !== "ended") return entry;
  const result = { isError: false, output: "Something else" };
  return { ...entry, report: { ...entry.report, result } };
}
