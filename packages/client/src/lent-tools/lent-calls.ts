/** The calls of lent tools that wait: claimed, run and answered, each by one client. */
import type { PendingCall, ToolContract } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { CallAnswer } from "@capstan/log";
import { isRefusal } from "../errors/client-error.ts";
import { longestTimerMs, pause } from "../stream/pause.ts";
import type { CallOrigin } from "./run-tool.ts";
import { runTool, unknownOutcome } from "./run-tool.ts";

/** What the calls of a session need of it. */
export interface CallOwner {
  readonly origin: CallOrigin;
  claim(toolCallId: string, leaseMs: number, signal: AbortSignal): Promise<void>;
  /** Whether another client had claimed the call before this one; to be asked when it is claimed. */
  wasClaimedElsewhere(toolCallId: string): Promise<boolean>;
  /** Resolves when it is safe. */
  answer(answer: CallAnswer): Promise<void>;
  /** One is over here: answered, or no longer to be. */
  onCallOver(): void;
  /** One cannot be answered. */
  onCallFailed(thrown: unknown): void;
}

export interface LentCallOptions {
  readonly tools: readonly ToolContract[];
  /** By which tools of this client are known. */
  readonly client: string;
  /** How long a call of a tool that another client has lent is left to it. */
  readonly takeOverMs: number;
  /** For how long a call is claimed; while it runs it is claimed again. */
  readonly claimMs: number;
}

interface RunningCall {
  readonly controller: AbortController;
}

export class LentCalls {
  readonly #options: LentCallOptions;
  readonly #owner: CallOwner;
  readonly #running = new Map<string, RunningCall>();
  /** Answered here, or found to be over. */
  readonly #done = new Set<string>();

  constructor(options: LentCallOptions, owner: CallOwner) {
    this.#options = options;
    this.#owner = owner;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Those that only others can answer. Undefined while there is one that this client answers, or none is left. */
  leftToOthers(pending: readonly PendingCall[]): readonly PendingCall[] | undefined {
    const open = pending.filter(({ toolCallId }) => !this.#done.has(toolCallId));
    if (open.length === 0 || open.some((call) => this.#toolOf(call) !== undefined))
      return undefined;
    return open;
  }

  /** Begins with those that this client can run. */
  consider(pending: readonly PendingCall[]): void {
    for (const call of pending) {
      const { toolCallId } = call;
      const tool = this.#toolOf(call);
      if (tool === undefined || this.#running.has(toolCallId) || this.#done.has(toolCallId))
        continue;
      const running = { controller: new AbortController() };
      this.#running.set(toolCallId, running);
      const run = this.#run(call, tool, running.controller.signal).then(
        () => this.#end(toolCallId, running, true),
        (thrown: unknown) => {
          // Whoever follows the session again finds the call again.
          this.#end(toolCallId, running, false);
          if (!running.controller.signal.aborted) this.#owner.onCallFailed(thrown);
        },
      );
      background(run, () => {});
    }
  }

  /** The call has its result: what still runs is stopped, and what it says is dropped. */
  settle(toolCallId: string): void {
    this.#running.get(toolCallId)?.controller.abort();
  }

  /** Nobody waits for any of them here. */
  stop(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  /** They are of a session that is gone: calls of another one may have the same ids. */
  reset(): void {
    this.stop();
    this.#running.clear();
    this.#done.clear();
  }

  #end(toolCallId: string, running: RunningCall, isDone: boolean): void {
    if (this.#running.get(toolCallId) !== running) return;
    this.#running.delete(toolCallId);
    if (isDone) this.#done.add(toolCallId);
    this.#owner.onCallOver();
  }

  #toolOf({ kind, toolName, lentBy }: PendingCall): ToolContract | undefined {
    if (kind !== "execution" || lentBy === undefined) return undefined;
    return this.#options.tools.find(({ name }) => name === toolName);
  }

  async #run(call: PendingCall, tool: ToolContract, signal: AbortSignal): Promise<void> {
    const { client, takeOverMs, claimMs } = this.#options;
    const { toolCallId } = call;
    if (call.lentBy !== client) await pause(takeOverMs, signal);
    if (!(await this.#claim(toolCallId, signal))) return;
    const renewals = setInterval(
      () => {
        // Other clients find out. The answer counts, from whichever client it comes.
        background(this.#owner.claim(toolCallId, claimMs, signal), () => {});
      },
      Math.min(claimMs / 2, longestTimerMs),
    );
    try {
      const isRepeatable = tool.effect === "pure" || tool.effect === "idempotent";
      const mayRun = isRepeatable || !(await this.#owner.wasClaimedElsewhere(toolCallId));
      if (signal.aborted) return;
      const answer = mayRun
        ? await runTool(tool, call, this.#owner.origin, signal)
        : unknownOutcome(toolCallId);
      if (!signal.aborted) await this.#owner.answer(answer);
    } catch (thrown) {
      if (!isRefusal(thrown, "not_pending", "already_answered", "not_found")) throw thrown;
    } finally {
      clearInterval(renewals);
    }
  }

  /** False if there is nothing to be run any more. */
  async #claim(toolCallId: string, signal: AbortSignal): Promise<boolean> {
    const { claimMs } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#owner.claim(toolCallId, claimMs, signal);
        return !signal.aborted;
      } catch (thrown) {
        // Whoever has it may be gone: its time is no longer than ours.
        if (isRefusal(thrown, "already_claimed")) await pause(claimMs, signal);
        else if (isRefusal(thrown, "not_pending", "already_answered", "not_found")) return false;
        else throw thrown;
      }
    }
    return false;
  }
}
