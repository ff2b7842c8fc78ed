/** What a provider gets for one attempt. Costly fields are made when they are read. */
import type { ChatMessage } from "./contracts/conversation.ts";
import type { ProviderRequest, ProviderStreamOptions } from "./contracts/provider.ts";
import type { ToolDeclaration } from "./contracts/tool.ts";
import { toModelMessages } from "./model-messages.ts";
import { guardedController } from "./guarded-signal.ts";
import type { TurnState } from "./turn-state.ts";

const noOptions: ProviderStreamOptions = Object.freeze({});

export class AttemptRequest implements ProviderRequest {
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  readonly tools: readonly ToolDeclaration[];
  readonly options: ProviderStreamOptions;
  readonly toolChoice?: "none";
  readonly #turn: TurnState;
  #messages: readonly ChatMessage[] | undefined;
  #controller: AbortController | undefined;
  #isCancelled = false;

  /** Without `messages` the turn is asked for them at the first read: ten thousand cost nothing if nobody reads them. */
  constructor(
    turn: TurnState,
    step: number,
    attempt: number,
    messages: readonly ChatMessage[] | undefined,
  ) {
    this.conversationId = turn.conversationId;
    this.turnId = turn.turnId;
    this.step = step;
    this.attempt = attempt;
    this.tools = turn.input.tools;
    this.options = turn.input.providerOpts ?? noOptions;
    if (turn.isClosing) this.toolChoice = "none";
    this.#turn = turn;
    this.#messages = messages;
  }

  get messages(): readonly ChatMessage[] {
    return (this.#messages ??= toModelMessages(this.#turn.transcript.context()));
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = guardedController();
      if (this.#isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Tells the provider that nobody listens any more. */
  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }
}
