/** Pending calls of client-side tools: which of them this client runs. */
import type { PendingCall, ToolContract } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { CallAnswer } from "@capstan/log";
import type { CallOrigin } from "./run-tool.ts";

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
    // Loaded with the first call: most pages lend no tool.
    const { runCall } = await import("./run-call.ts");
    await runCall(call, tool, { ...this.#options, owner: this.#owner, signal });
  }
}
