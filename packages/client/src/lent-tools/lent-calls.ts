/** Pending calls of client-side tools: claimed, run and answered, each by one client. */
import type { PendingCall, ToolContract } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { CallAnswer } from "@capstan/log";
import { isRefusal } from "../errors/client-error.ts";
import { longestTimerMs, pause } from "../stream/pause.ts";
import type { CallOrigin } from "./run-tool.ts";
import { runTool, unknownOutcome } from "./run-tool.ts";

/** Operations of a session that its calls need. */
export interface CallOwner {
  readonly origin: CallOrigin;
  claim(toolCallId: string, leaseMs: number, signal: AbortSignal): Promise<void>;
  /** Whether another client claimed the call first. Call it after the claim. */
  wasClaimedElsewhere(toolCallId: string): Promise<boolean>;
  /** Resolves once the answer is durable. */
  answer(answer: CallAnswer): Promise<void>;
  /** Called when a call has ended here: answered, or no longer pending. */
  onCallOver(): void;
  /** Called when a call cannot be answered. */
  onCallFailed(thrown: unknown): void;
}

export interface LentCallOptions {
  readonly tools: readonly ToolContract[];
  /** Name under which this client's tools are known. */
  readonly client: string;
  /** How long to leave a call to the client that lent its tool. */
  readonly takeOverMs: number;
  /** Duration of a claim. It is renewed while the call runs. */
  readonly claimMs: number;
}

interface RunningCall {
  readonly controller: AbortController;
}

export class LentCalls {
  readonly #options: LentCallOptions;
  readonly #owner: CallOwner;
  readonly #running = new Map<string, RunningCall>();
  /** Calls that were answered here, or were found to have ended. */
  readonly #done = new Set<string>();

  constructor(options: LentCallOptions, owner: CallOwner) {
    this.#options = options;
    this.#owner = owner;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Pending calls if only other clients can answer them. Undefined if this client answers one of them, or none is pending. */
  leftToOthers(pending: readonly PendingCall[]): readonly PendingCall[] | undefined {
    const open = pending.filter(({ toolCallId }) => !this.#done.has(toolCallId));
    if (open.length === 0 || open.some((call) => this.#toolOf(call) !== undefined))
      return undefined;
    return open;
  }

  /** Starts the calls that this client can run. */
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
          // The next subscriber to the session finds the call again.
          this.#end(toolCallId, running, false);
          if (!running.controller.signal.aborted) this.#owner.onCallFailed(thrown);
        },
      );
      background(run, () => {});
    }
  }

  /** Stops a call that has its result; its late output is dropped. */
  settle(toolCallId: string): void {
    this.#running.get(toolCallId)?.controller.abort();
  }

  /** Stops all calls: their answers are no longer needed here. */
  stop(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  /** Forgets the calls of a session that is gone: another session may use the same ids. */
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
        // A failure only lets other clients claim the call. The first answer counts, from any client.
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

  /** False if the call is no longer pending. */
  async #claim(toolCallId: string, signal: AbortSignal): Promise<boolean> {
    const { claimMs } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#owner.claim(toolCallId, claimMs, signal);
        return !signal.aborted;
      } catch (thrown) {
        // The claimant may be gone: its claim lasts no longer than ours would.
        if (isRefusal(thrown, "already_claimed")) await pause(claimMs, signal);
        else if (isRefusal(thrown, "not_pending", "already_answered", "not_found")) return false;
        else throw thrown;
      }
    }
    return false;
  }
}
