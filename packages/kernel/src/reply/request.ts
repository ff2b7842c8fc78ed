/** Request of one attempt. Costly fields are created when they are read. */
import type { ChatMessage } from "../contracts/conversation.ts";
import type { ProviderRequest, ProviderStreamOptions } from "../contracts/provider.ts";
import type { ToolDeclaration } from "../contracts/tool.ts";
import { guardedController } from "../effects/guarded-signal.ts";
import { toModelMessages } from "./model-messages.ts";
import type { TurnState } from "../turn/turn-state.ts";

/** Signal of one attempt, created on first read. */
export class AttemptSignal {
  #controller: AbortController | undefined;
  #isCancelled = false;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = guardedController();
      if (this.#isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Signals the provider that its reply is no longer read. */
  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }
}

/**
 * All fields are own and enumerable, so that `{ ...request, options }` is complete. All requests share the getters: an object literal would
 * create them for each request, which costs more than the rest of the request.
 */
export class AttemptRequest implements ProviderRequest {
  static readonly #messagesField: PropertyDescriptor & ThisType<AttemptRequest> = {
    enumerable: true,
    get() {
      return (this.#messages ??= toModelMessages(this.#turn.transcript.context()));
    },
  };
  static readonly #signalField: PropertyDescriptor & ThisType<AttemptRequest> = {
    enumerable: true,
    get() {
      return this.#signal.signal;
    },
  };

  declare readonly messages: readonly ChatMessage[];
  declare readonly signal: AbortSignal;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  readonly tools: readonly ToolDeclaration[];
  readonly options: ProviderStreamOptions;
  declare readonly modelIndex?: number;
  declare readonly toolChoice?: "none";
  readonly #turn: TurnState;
  readonly #signal: AttemptSignal;
  #messages: readonly ChatMessage[] | undefined;

  /** Without `messages`, the turn computes them on first read: ten thousand messages cost nothing if they are never read. */
  constructor(
    turn: TurnState,
    step: number,
    attempt: number,
    messages: readonly ChatMessage[] | undefined,
    signal: AttemptSignal,
  ) {
    Object.defineProperty(this, "messages", AttemptRequest.#messagesField);
    Object.defineProperty(this, "signal", AttemptRequest.#signalField);
    const { target } = turn;
    this.conversationId = turn.conversationId;
    this.turnId = turn.turnId;
    this.step = step;
    this.attempt = attempt;
    this.tools = target.tools;
    this.options = target.options;
    if (target.route !== undefined) this.modelIndex = target.route.index;
    if (turn.isClosing) this.toolChoice = "none";
    this.#turn = turn;
    this.#messages = messages;
    this.#signal = signal;
  }
}
