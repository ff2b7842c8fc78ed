/** Calls of a session that child sessions work on: starts the children, follows them, and takes their results. */
import type { PendingCall, Suspension, ToolOutput, ToolResult } from "@capstan/kernel";
import { suspend } from "@capstan/kernel";
import type { Child, ChildReport, MaybePromise, OwnedBody } from "@capstan/log";
import { pendingVia } from "@capstan/log";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import { fail } from "../tools/tool-output.ts";
import { handOff } from "./hand-off.ts";
import { ChildProgress } from "./child-progress.ts";
import { startInBackground, statusOf, stopInBackground } from "./background-children.ts";
import { answerAsking } from "./budget-answers.ts";
import { taskIdOf } from "./child-ids.ts";
import { ChildStarts } from "./child-starts.ts";
import { answerChild, cancelTask, ownerOf, toAnswerEntry } from "./child-posts.ts";
import type { ParentSession } from "./start-child.ts";
import { startChild } from "./start-child.ts";
import type { ChildCall, HandoffCall, SessionAgents } from "../tools/other-agents.ts";

export interface ChildCallsOptions extends ParentSession {
  /** Appends entries together with the result of their call, which follows at once. They are lost if the process ends before that. */
  appendWithResult(bodies: readonly OwnedBody[]): MaybePromise<unknown>;
  /** Called when calls begin to wait for children, and when none waits any more: in between other sessions may use the slot. */
  onWaiting(isWaiting: boolean): void;
}

interface Waiter {
  readonly child: Child;
  /** Number of reports that the waiter knows. */
  readonly seen: number;
  resolve(): void;
}

/** Report of a child that rests. */
type RestReport = Extract<ChildReport, { readonly type: "waiting" | "ended" }>;

function isOfRest(report: ChildReport | undefined): report is RestReport {
  return report?.type === "waiting" || report?.type === "ended";
}

type EndedReport = Extract<ChildReport, { readonly type: "ended" }>;

function hasNews({ child: { reports, isCallOver }, seen }: Omit<Waiter, "resolve">): boolean {
  return reports > seen || isCallOver;
}

/** Never fires. */
const never = new AbortController().signal;

export class ChildCalls implements SessionAgents {
  readonly #options: ChildCallsOptions;
  readonly #starts: ChildStarts;
  /** By call: each waits for news of its own child. */
  readonly #waiters = new Map<string, Waiter>();
  /** Number of the children's news that the waiters were told of. */
  #seenNews = 0;

  constructor(options: ChildCallsOptions) {
    this.#options = options;
    this.#starts = new ChildStarts(options);
  }

  /** Called when entries were folded: a report may be among them. */
  onChange(): void {
    const { news } = this.#options.log.fold.children;
    for (; this.#seenNews < news.length; this.#seenNews += 1) {
      const waiter = this.#waiters.get(news[this.#seenNews] as string);
      if (waiter !== undefined && hasNews(waiter)) waiter.resolve();
    }
  }

  async runChild(call: ChildCall): Promise<ToolResult | ToolOutput | Suspension> {
    const { background, ...awaited } = call;
    // A session that ends with its turn could not take the answer later.
    const isAwaited = background === undefined || this.#options.host.isPassing;
    return isAwaited ? this.#await(awaited) : startInBackground(this.#options, call, this.#starts);
  }

  async #await(call: ChildCall): Promise<ToolResult | ToolOutput | Suspension> {
    const { toolCallId } = call.context;
    const known = this.#options.log.fold.children.find(toolCallId);
    const seen = known === undefined ? 0 : await this.#relay(call, known);
    const started = await startChild(this.#options, call, this.#starts);
    if (typeof started === "string") return fail(started);
    const { runtime, release } = started;
    const stop = this.#follow(runtime, call);
    try {
      const report = await this.#rest(call.context, seen);
      if (report === undefined) return await this.#stop(call);
      return report.type === "ended" ? await this.#end(call, report) : this.#suspend(call);
    } finally {
      stop();
      release();
    }
  }

  statusOf(childId: string | undefined): ToolOutput {
    return statusOf(this.#options, childId);
  }

  async stopChild(childId: string, context: ToolContext): Promise<ToolOutput> {
    return stopInBackground(this.#options, childId, context);
  }

  async handOff(call: HandoffCall): Promise<ToolOutput> {
    return handOff(this.#options, call);
  }

  /** Shows what the child says as progress of the call. */
  #follow(runtime: SessionRuntime, { context }: ChildCall): () => void {
    const { timer } = this.#options.host.clock;
    const progress = new ChildProgress(timer, (text) => context.update(text));
    const stop = runtime.listen(progress.take);
    return () => {
      stop();
      progress.flush();
    };
  }

  /**
   * Passes answers on that this session gave on behalf of the user, as when a message settles what is pending. Returns the number of
   * reports that say nothing about the time after them.
   */
  async #relay({ context }: ChildCall, child: Child): Promise<number> {
    const { answers = [] } = context.resumed ?? {};
    const { lastReport, reports } = child;
    if (answers.length === 0 || lastReport?.type !== "waiting") return 0;
    for (const answer of answers) {
      const asked = lastReport.pending.find(({ toolCallId }) => toolCallId === answer.toolCallId);
      if (asked === undefined) continue;
      const id = `${asked.hash.slice(0, 32)}-${context.turnId}`;
      const target = ownerOf(asked) ?? child.childId;
      await answerChild(this.#options.host, target, id, toAnswerEntry(answer, asked));
    }
    return reports;
  }

  /** Resolves with the next report of a child that rests; undefined if the call is stopped first. */
  async #rest(
    { toolCallId, turnId, signal }: ToolContext,
    seen: number,
  ): Promise<RestReport | undefined> {
    const child = this.#childOf(toolCallId);
    for (let known = seen; !signal.aborted;) {
      const { lastReport, reports } = child;
      const isNew = reports > known;
      if (isNew && isOfRest(lastReport)) return lastReport;
      if (isNew && lastReport?.type === "asking") {
        await answerAsking(this.#options, toolCallId, turnId);
      }
      known = Math.max(known, reports);
      await this.#news({ child, seen: known }, signal);
    }
    return undefined;
  }

  async #news(of: Omit<Waiter, "resolve">, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    const waiter = { ...of, resolve };
    if (this.#waiters.size === 0) this.#options.onWaiting(true);
    this.#waiters.set(of.child.toolCallId, waiter);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      if (!hasNews(waiter) && !signal.aborted) await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#waiters.delete(of.child.toolCallId);
      if (this.#waiters.size === 0) this.#options.onWaiting(false);
    }
  }

  /** Cancels the child, and takes what it has used if it ends before the call is given up. The session stops it otherwise. */
  async #stop({ context }: ChildCall): Promise<never> {
    const { toolCallId } = context;
    const child = this.#childOf(toolCallId);
    const { childId } = child;
    const taskId = taskIdOf(childId, toolCallId);
    await cancelTask(this.#options.host, childId, taskId, "The caller stopped");
    for (let seen = 0; !child.isCallOver;) {
      const { lastReport, reports } = child;
      if (lastReport?.type === "ended") {
        context.usage(lastReport.usage, lastReport.cost);
        break;
      }
      seen = reports;
      await this.#news({ child, seen }, never);
    }
    throw new Error("The call was stopped");
  }

  #suspend({ context: { toolCallId } }: ChildCall): Suspension {
    const { agent, childId, lastReport, reports } = this.#childOf(toolCallId);
    const pending: readonly PendingCall[] =
      lastReport?.type === "waiting" ? lastReport.pending : [];
    const questions = pendingVia({ agent, sessionId: childId, toolCallId }, pending);
    return suspend({ questions, state: null, reports });
  }

  async #end({ context }: ChildCall, report: EndedReport): Promise<ToolResult | ToolOutput> {
    const { toolCallId, turnId } = context;
    const { childId, isEnded } = this.#childOf(toolCallId);
    const { result, usage, cost } = report;
    const outcome = result.isError ? "failed" : "answered";
    const ended = { type: "child_ended", turnId, toolCallId, childId, outcome, usage } as const;
    // A process may have ended before it recorded the result.
    if (!isEnded) {
      await this.#options.appendWithResult([cost === undefined ? ended : { ...ended, cost }]);
    }
    context.usage(usage, cost);
    const text = typeof result.output === "string" ? result.output : JSON.stringify(result.output);
    return { ok: !result.isError, outputMessage: text, details: { childId } };
  }

  #childOf(toolCallId: string): Child {
    const child = this.#options.log.fold.children.find(toolCallId);
    if (child === undefined) throw new Error(`No child works on the call "${toolCallId}"`);
    return child;
  }
}
