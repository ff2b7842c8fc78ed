/** Calls of a session that child sessions work on: starts the children, follows them, and takes their results. */
import type { PendingCall, Suspension, ToolOutput, ToolResult } from "@capstan/kernel";
import { suspend } from "@capstan/kernel";
import type { Child, ChildReport, MaybePromise, OwnedBody } from "@capstan/log";
import { pendingVia } from "@capstan/log";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { SessionLog } from "../owner/session-log.ts";
import { defaultMaxChildren, defaultMaxDepth } from "../platform/limits.ts";
import type { SessionHost } from "../session/session-host.ts";
import { fail } from "../tools/tool-output.ts";
import { handOff } from "./hand-off.ts";
import { childIdOf, taskIdOf } from "./child-ids.ts";
import { answerChild, cancelTask, ownerOf, toAnswerEntry } from "./child-posts.ts";
import type { ChildCall, HandoffCall, SessionAgents } from "../tools/other-agents.ts";

export interface ChildCallsOptions {
  readonly host: SessionHost;
  readonly log: SessionLog;
  /** Appends as the owner of the session. */
  append(bodies: readonly OwnedBody[]): MaybePromise<unknown>;
  /** Called when calls begin to wait for children, and when none waits any more: in between other sessions may use the slot. */
  onWaiting(isWaiting: boolean): void;
}

interface Waiter {
  readonly toolCallId: string;
  /** Number of reports that the waiter knows. */
  readonly seen: number;
  resolve(): void;
}

type EndedReport = Extract<ChildReport, { readonly type: "ended" }>;

/** Never fires. */
const never = new AbortController().signal;

export class ChildCalls implements SessionAgents {
  readonly #options: ChildCallsOptions;
  readonly #waiters = new Set<Waiter>();

  constructor(options: ChildCallsOptions) {
    this.#options = options;
  }

  /** Called when entries were folded: a report may be among them. */
  onChange(): void {
    for (const waiter of this.#waiters) if (this.#hasNews(waiter)) waiter.resolve();
  }

  async runChild(call: ChildCall): Promise<ToolResult | ToolOutput | Suspension> {
    const { toolCallId, signal } = call.context;
    const refusal = await this.#start(call);
    if (refusal !== undefined) return fail(refusal);
    const child = this.#childOf(toolCallId);
    const seen = await this.#relay(call, child);
    const leave = await this.#open(call, child);
    try {
      const report = await this.#rest(toolCallId, seen, signal);
      if (report === undefined) return await this.#stop(call, child);
      return report.type === "ended" ? await this.#end(call, report) : this.#suspend(call);
    } finally {
      leave();
    }
  }

  async handOff(call: HandoffCall): Promise<ToolOutput> {
    return handOff(this.#options, call);
  }

  /** Records the start, unless it is recorded. Returns why there can be no such child. */
  async #start(call: ChildCall): Promise<string | undefined> {
    const { log } = this.#options;
    const { toolCallId, turnId } = call.context;
    if (log.fold.children.find(toolCallId) !== undefined) return undefined;
    const depth = (log.fold.created?.parent?.depth ?? 0) + 1;
    if (depth > defaultMaxDepth) {
      return `Not started: agents may be nested ${defaultMaxDepth} deep at most.`;
    }
    if (log.fold.children.all.length >= defaultMaxChildren) {
      return `Not started: this session has ${defaultMaxChildren} children, the most that are allowed.`;
    }
    const childId = childIdOf({
      sessionId: log.id,
      incarnation: log.incarnation,
      toolCallId,
      toolName: call.toolName,
      memory: call.memory,
    });
    const agent = call.agent.name;
    await this.#options.append([{ type: "child_started", turnId, toolCallId, childId, agent }]);
    return undefined;
  }

  /** Gives the child its task; a repeated task counts once. Returns a function that leaves it. */
  async #open(call: ChildCall, { childId }: Child): Promise<() => void> {
    const { host, log } = this.#options;
    const { toolCallId, session, turn } = call.context;
    const { created } = log.fold;
    const { runtime, release } = await host.openChild(childId, {
      agent: call.agent.name,
      ...(session.principal !== undefined && { principal: session.principal }),
      ...(call.app !== undefined && { app: call.app }),
      parent: {
        sessionId: log.id,
        ...(log.incarnation !== undefined && { incarnation: log.incarnation }),
        agent: log.fold.agent,
        depth: (created?.parent?.depth ?? 0) + 1,
      },
    });
    const id = taskIdOf(childId, toolCallId);
    try {
      await runtime.log.post(id, {
        type: "input",
        messages: [{ role: "user", id, content: call.task }],
        call: toolCallId,
        ...(turn.metadata !== undefined && { metadata: turn.metadata }),
        ...(call.app !== undefined && { app: call.app }),
      });
    } catch (thrown) {
      release();
      throw thrown;
    }
    runtime.wake();
    const stop = this.#follow(runtime, call);
    return () => {
      stop();
      release();
    };
  }

  /** Shows what the child says as progress of the call. */
  #follow(runtime: SessionRuntime, { context }: ChildCall): () => void {
    return runtime.listen((event) => {
      if (event.type === "text_delta") context.update(event.delta);
    });
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
    toolCallId: string,
    seen: number,
    signal: AbortSignal,
  ): Promise<Exclude<ChildReport, { readonly type: "running" }> | undefined> {
    for (let known = seen; !signal.aborted;) {
      const { lastReport, reports } = this.#childOf(toolCallId);
      const isNew = reports > known;
      if (isNew && lastReport !== undefined && lastReport.type !== "running") return lastReport;
      known = Math.max(known, reports);
      await this.#news({ toolCallId, seen: known }, signal);
    }
    return undefined;
  }

  async #news(of: Omit<Waiter, "resolve">, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    const waiter = { ...of, resolve };
    if (this.#waiters.size === 0) this.#options.onWaiting(true);
    this.#waiters.add(waiter);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      if (!this.#hasNews(waiter) && !signal.aborted) await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#waiters.delete(waiter);
      if (this.#waiters.size === 0) this.#options.onWaiting(false);
    }
  }

  #hasNews({ toolCallId, seen }: Omit<Waiter, "resolve">): boolean {
    const { reports = 0, isCallOver = true } =
      this.#options.log.fold.children.find(toolCallId) ?? {};
    return reports > seen || isCallOver;
  }

  /** Cancels the child, and takes what it has used if it ends before the call is given up. The session stops it otherwise. */
  async #stop({ context }: ChildCall, { childId }: Child): Promise<never> {
    const { toolCallId } = context;
    const taskId = taskIdOf(childId, toolCallId);
    await cancelTask(this.#options.host, childId, taskId, "The caller stopped");
    for (let seen = 0; !this.#childOf(toolCallId).isCallOver;) {
      const { lastReport, reports } = this.#childOf(toolCallId);
      if (lastReport?.type === "ended") {
        context.usage(lastReport.usage, lastReport.cost);
        break;
      }
      seen = reports;
      await this.#news({ toolCallId, seen }, never);
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
    if (!isEnded) await this.#options.append([cost === undefined ? ended : { ...ended, cost }]);
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
