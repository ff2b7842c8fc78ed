/**
 * Hosts that do not wait until a write is durable, for each entry of "Order of writes" in docs/specs/storage.md. `order-of-writes-table.test.ts`
 * finds entries that are missing here.
 */
import type { EntryType } from "@capstan/log";
import type { AlterHost, CrashViolationCode } from "@capstan/testing/crash";
import { runningAhead } from "./running-ahead.ts";

interface OrderFault {
  /** Writes with these entries are not durable in time. */
  readonly entry: EntryType;
  readonly scenario: string;
  readonly caughtAs: CrashViolationCode;
  readonly alterHost: AlterHost;
}

function ahead(entry: EntryType, scenario: string, caughtAs: CrashViolationCode): OrderFault {
  return { entry, scenario, caughtAs, alterHost: runningAhead(entry) };
}

/** Without a death these hosts do no harm: the order of their logs is right. */
export const fatalOrderFaults: readonly OrderFault[] = [
  // A session: before the call that creates it resolves.
  ahead("created", "two hosts that open or create one session", "acknowledged"),
  ahead("forked_from", "a fork at rest", "acknowledged"),
  // Posts: before the call that posted it resolves.
  ahead("input", "going on with what was held", "requests"),
  ahead("steer", "steering", "acknowledged"),
  ahead("follow_up", "input arriving as a follow-up starts", "acknowledged"),
  // A reader has seen more entries than there are.
  ahead("answer", "remote answers late", "incarnation"),
  ahead("decision", "refused approvals", "incarnation"),
  ahead(
    "compact",
    "a summary that is asked for while a call runs that was approved",
    "incarnation",
  ),
  ahead("call_claimed", "calls that clients claim before they run them", "acknowledged"),
  ahead("cancel_requested", "abort on another host", "acknowledged"),
  ahead("config", "who is asking", "acknowledged"),
  ahead("history_rewound", "a rewind while a summary is written", "acknowledged"),
  ahead("child_reported", "a child with tools", "stuck"),
  // The start of a turn: before its first request.
  ahead("turn_started", "instructions that are asked for", "requests"),
  ahead("prompt", "instructions that are asked for", "requests"),
  // An attempt: before its request.
  ahead("attempt", "retry", "events"),
  // A reply: before its calls start.
  ahead("message", "sequential tools", "events"),
  ahead("attempt_ended", "sequential tools", "events"),
  // A pending call: before its question is shown.
  ahead("pending", "remote answers early", "events"),
  // A result: before the next request.
  ahead("tool_result", "sequential tools", "events"),
  // Children: before the child exists; before the result of its call.
  ahead("child_started", "an abort while a child works", "children"),
  ahead("child_ended", "a child with tools", "events"),
  // Others: before the effect that they announce.
  ahead("child_waiting", "a child in the background waits for answers", "events"),
  ahead("queue_settled", "steering", "events"),
  ahead("eviction", "long outputs, and room for them", "events"),
  ahead("compaction_started", "a context that does not fit", "requests"),
  ahead("compaction", "a context that does not fit", "events"),
  ahead("compaction_failed", "a summary that fails", "events"),
  ahead("step_prepared", "steps that are prepared", "events"),
  ahead("input_rejected", "guards that reject", "events"),
  ahead("handed_off", "a handoff in the middle of a step", "events"),
  ahead("suspended", "calls that suspend themselves", "events"),
  ahead("nested_result", "a tool that calls others", "events"),
  // The end of a turn: before its response.
  ahead("turn_ended", "remote answers late", "response"),
];

/** Only a process that resumes a turn records that it does: it takes a second death. */
export const fatalOrderFaultsOfSuccessors: readonly OrderFault[] = [
  ahead("turn_resumed", "a host that is drained during a reply with calls", "incarnation"),
];

/**
 * The first death leaves the child to another process than its parent. The second is that of the parent's process, which has recorded that the parent
 * rests: no other one answers the child again.
 */
export const fatalOrderFaultsOfParents: readonly (OrderFault & { readonly firstDeath: string })[] =
  [
    {
      ...ahead("budget_granted", "a child in the background asks for more of the budget", "stuck"),
      firstDeath: "append child_granted",
    },
  ];

/** The simulator looks at the log when these writes should be there: at an effect, an acknowledgement, or an entry of another session. */
export const visibleOrderFaults: readonly OrderFault[] = [
  ahead("tool_intent", "sequential tools", "effects"),
  ahead("nested_intent", "a tool that calls others", "effects"),
  ahead("child_granted", "children in turn share a budget", "children"),
  ahead("history_cleared", "another past", "acknowledged"),
  ahead("history_loaded", "another past", "acknowledged"),
];

interface HarmlessFault extends Omit<OrderFault, "caughtAs" | "alterHost"> {
  /** Why it is enough that the log has the entry before those that follow it. */
  readonly because: string;
}

/** These entries precede their effect by the order of the logs alone. */
export const harmlessOrderFaults: readonly HarmlessFault[] = [
  {
    entry: "queue_cleared",
    scenario: "a reset while others send",
    because: "the call resolves with the outcomes of the messages, which follow in the same log",
  },
  {
    entry: "abandon_requested",
    scenario: "a turn that is dropped",
    because: "the call resolves with the end of the turn, which follows in the same log",
  },
  {
    entry: "quarantine",
    scenario: "an image that models reject",
    because: "the attempt that makes the next request follows in the same log",
  },
  {
    entry: "checkpoint",
    scenario: "compacted on request, while others send",
    because: "it follows from the entries before it, and is named by the head of its own write",
  },
];
