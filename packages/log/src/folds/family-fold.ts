/** Effects of entries about child sessions on the rest of their parent: questions of calls, results, and usage. */
import { pendingVia } from "./child-fold.ts";
import type { ChildFold } from "./child-fold.ts";
import { toResultMessage } from "./child-result.ts";
import type { ChildState, Spent } from "./child-state.ts";
import type { EntryOf } from "../entries/entries.ts";
import type { QueueFold } from "./queue-fold.ts";
import type { TaskFold } from "./task-fold.ts";
import type { TranscriptFold } from "./transcript-fold.ts";
import type { TurnFold } from "./turn-fold.ts";

interface Parent {
  readonly transcript: TranscriptFold;
  readonly queues: QueueFold;
  readonly children: ChildFold;
  readonly tasks: TaskFold;
}

/** Usage that no result has counted, and the call of the session's own parent that it belongs to. */
export interface Uncounted extends Spent {
  readonly call: string | undefined;
  /** Chain of turns that started the child. */
  readonly chainId: string | undefined;
}

export class FamilyFold {
  readonly #parent: Parent;

  constructor(parent: Parent) {
    this.#parent = parent;
  }

  /** Takes an entry of the owner about a child. */
  apply(
    entry: EntryOf<"child_started" | "child_granted" | "child_waiting" | "child_ended">,
    turn: TurnFold | undefined,
  ): void {
    const { children } = this.#parent;
    switch (entry.type) {
      case "child_started":
        return children.start(entry, turn);
      case "child_granted":
        return children.state(entry.toolCallId)?.grant(entry);
      case "child_waiting":
        return children.state(entry.toolCallId)?.note(entry);
      case "child_ended":
        return this.#end(entry);
      default:
        entry satisfies never;
    }
  }

  /** A call got its result. Returns usage that the result has not. */
  settleCall({
    toolCallId,
    usage,
    result,
  }: EntryOf<"tool_result" | "nested_result">): Uncounted | undefined {
    const child = this.#parent.children.state(toolCallId);
    if (child === undefined) return undefined;
    child.settleCall(usage !== undefined, result.isError);
    this.#parent.children.noteNews(child.toolCallId);
    return this.#takeFrom(child);
  }

  /** Returns the usage of the child, if it is to be counted now. */
  takeReport(entry: EntryOf<"child_reported">): Uncounted | undefined {
    const child = this.#parent.children.state(entry.toolCallId);
    if (child === undefined) return undefined;
    if (child.report(entry)) this.#heed(child);
    this.#parent.children.noteNews(child.toolCallId);
    return this.#takeFrom(child);
  }

  /** A call was suspended. A report may have come before that was recorded. */
  suspend({ toolCallId, reports = Infinity }: EntryOf<"suspended">): void {
    const child = this.#parent.children.state(toolCallId);
    if (child !== undefined && child.reports > reports) this.#heed(child);
  }

  #end(entry: EntryOf<"child_ended">): void {
    const { children, queues } = this.#parent;
    children.end(entry);
    const child = children.state(entry.toolCallId);
    // Its result came in just before it was stopped.
    if (child?.isDropped === true && child.resultId !== undefined) queues.drop([child.resultId]);
  }

  /** The messages were replaced or cut: children of calls that no longer exist are stopped. */
  cut(): void {
    const { children, queues, transcript } = this.#parent;
    queues.drop(children.cut((toolCallId) => transcript.hasResultOf(toolCallId)));
  }

  /**
   * If a task of this session is cancelled, everything that was started for it in the background is stopped, even if its last turn is over.
   * Returns the entry with the id of the turn that works on the task.
   */
  cancel(
    entry: EntryOf<"cancel_requested">,
    turn: TurnFold | undefined,
  ): EntryOf<"cancel_requested"> {
    const { children, queues, tasks } = this.#parent;
    const call = tasks.callOf(entry.turnId);
    if (call === undefined) return entry;
    queues.drop(children.cutFor(call));
    return turn?.origin.call === call ? { ...entry, turnId: turn.turnId } : entry;
  }

  /** Takes what a child that has ended leaves: usage that no result has counted, and the result of one in the background. */
  #takeFrom(child: ChildState): Uncounted | undefined {
    const result = child.takeResult();
    if (result !== undefined) {
      const message = toResultMessage(result.id, child, result.report);
      this.#parent.queues.addResult(message, child.origin);
    }
    const spent = child.takeUncounted();
    if (spent === undefined) return undefined;
    const { usage, cost } = spent;
    const of = { call: child.origin.call, chainId: child.chainId };
    return cost === undefined ? { usage, ...of } : { usage, cost, ...of };
  }

  /** Lets a suspended call know what its child reported last: other questions, or a reason to run again. */
  #heed({ agent, childId, toolCallId, lastReport }: ChildState): void {
    const suspended = this.#parent.transcript.step?.suspendedCall(toolCallId);
    if (suspended === undefined) return;
    if (lastReport?.type !== "waiting") return suspended.wake();
    const child = { agent, sessionId: childId, toolCallId };
    suspended.ask(pendingVia(child, lastReport.pending));
  }
}
