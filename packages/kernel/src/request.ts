/** What a provider gets for one attempt. Costly fields are made when they are read. */
import type { ChatMessage } from "./contracts/conversation.ts";
import type { ProviderRequest, ProviderStreamOptions } from "./contracts/provider.ts";
import type { ToolDeclaration } from "./contracts/tool.ts";

const noOptions: ProviderStreamOptions = {};

export interface RequestFields {
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  readonly tools: readonly ToolDeclaration[];
  readonly options: ProviderStreamOptions | undefined;
  readonly isClosing: boolean;
  /** Called at most once. A turn after ten thousand messages costs no more than one after ten, if nobody reads them. */
  readonly messages: () => readonly ChatMessage[];
}

export class AttemptRequest implements ProviderRequest {
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  readonly tools: readonly ToolDeclaration[];
  readonly options: ProviderStreamOptions;
  readonly toolChoice?: "none";
  readonly #makeMessages: () => readonly ChatMessage[];
  #messages: readonly ChatMessage[] | undefined;
  #controller: AbortController | undefined;
  #isCancelled = false;

  constructor(fields: RequestFields) {
    this.conversationId = fields.conversationId;
    this.turnId = fields.turnId;
    this.step = fields.step;
    this.attempt = fields.attempt;
    this.tools = fields.tools;
    this.options = fields.options ?? noOptions;
    if (fields.isClosing) this.toolChoice = "none";
    this.#makeMessages = fields.messages;
  }

  get messages(): readonly ChatMessage[] {
    return (this.#messages ??= this.#makeMessages());
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
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
