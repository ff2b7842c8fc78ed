/** Replies of models over HTTP: requests, frames and errors of `/api/stream`, the same for server and client. */
import type {
  ChatMessage,
  ModelFacts,
  PartReference,
  ProviderErrorCode,
  ProviderPart,
  ProviderStreamOptions,
  ToolDeclaration,
} from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";

/** Options of a provider that only the server sets: they decide what it pays for, where requests go, and with which key. */
export type ServerSideOption =
  | "apiKey"
  | "headers"
  | "modelFacts"
  | "providerOptions"
  | "serviceTier";

/** Options of a request to a model that the client may choose. */
export type ModelOptions = Omit<ProviderStreamOptions, ServerSideOption | "model">;

/** Body of `POST /api/stream`. */
export interface ModelRequest {
  /** Made by the client. Sending it again, or asking for it with `GET /api/stream/:id`, gives the same reply. */
  readonly id: string;
  /** Name of a model that the server offers. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDeclaration[];
  readonly toolChoice?: "none";
  readonly options: ModelOptions;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
}

/** A provider's error without anything of the vendor but its meaning. */
export interface WireProviderError {
  readonly code: ProviderErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly rejected?: PartReference | undefined;
}

/** Frames of the reply, numbered from 1 in their `id`. Nothing follows an `error`, or the `end` of a provider's stream. */
export type ModelFrame =
  | ProviderPart
  | { readonly type: "error"; readonly error: WireProviderError }
  | { readonly type: "end" };

/** Reply to `GET /api/models`: the models that clients may ask. */
export interface ModelsReply {
  readonly models: readonly OfferedModel[];
}

/** A model that a server offers to providers of other processes. */
export interface OfferedModel extends Pick<ModelFacts, "contextWindow" | "maxOutputTokens"> {
  readonly name: string;
}

/** Reply to `DELETE /api/stream/:id`. */
export interface ModelAbortReply {
  /** The reply had ended before. */
  readonly isOver: boolean;
}

/**
 * Converts an error of a provider to its form in HTTP. `message` is the text for clients: the error's own may name
 * addresses and accounts.
 */
export function toWireError(error: ProviderError, message: string): WireProviderError {
  const { code, retryable, retryAfterMs, status, rejected } = error;
  return { code, message, retryable, retryAfterMs, status, rejected };
}

/** Creates the `ProviderError` that the wire format describes. */
export function fromWireError({ code, message, ...options }: WireProviderError): ProviderError {
  return new ProviderError(code, message, options);
}
