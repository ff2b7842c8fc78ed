/** A wire protocol, apart from the vendors that speak it: how a request is written, and how a reply is read. */
import type {
  JsonValue,
  Origin,
  PartReference,
  ProviderError,
  ProviderPart,
  ProviderRequest,
} from "@capstan/kernel";
import type { SseEvent } from "../sse/sse-decoder.ts";
import type { Quirks } from "./vendor.ts";

/** The vendor's id, its protocol's, the model's, and the host that is asked: what a reply will have as its `origin`. */
export type TargetOrigin = Origin & Required<Pick<Origin, "api" | "model">>;

/** Whom a request is for. */
export interface Target {
  readonly origin: TargetOrigin;
  readonly quirks: Quirks;
  /** False: the whole reply is asked for in one JSON body. */
  readonly isStreaming: boolean;
  /** Which attempt of the step this is, from 1; the first, if absent. */
  readonly attempt?: number | undefined;
  /** Tokens that fit into a request and its reply, where the registry knows it. */
  readonly contextWindow?: number | undefined;
}

/** A request as it goes over the wire. */
export interface WireRequest {
  /** Behind the vendor's base URL, with its slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonValue;
  /** Which part of the messages a vendor means when its error names this place in the body. */
  partAt?(path: string): PartReference | undefined;
  /** The answer is asked for in a wrapper, which is taken off the reply. */
  readonly isWrapped?: true;
  /** Fields that some servers or accounts refuse. Such a refusal is answered by repeating the request without the field. */
  readonly dispensable?: readonly DispensableField[];
}

/** A field that a request can do without. */
export interface DispensableField {
  /** Unique in the protocol. */
  readonly name: string;
  isRefusedBy(failure: VendorFailure): boolean;
  /** The body without the field. */
  without(body: JsonValue): JsonValue;
}

/** What a vendor answered instead of a reply. */
export interface VendorFailure {
  /** Undefined for an error inside of a stream that began well. */
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  /** Parsed where it was JSON. */
  readonly body: JsonValue | undefined;
  /** As it came, at most 10,000 characters. */
  readonly text: string;
}

/** One reply under way. Both methods push what they read, and throw a `ProviderError` for what the vendor calls an error. */
export interface ReplyDecoder {
  /** The next event of the stream. */
  take(event: SseEvent, parts: ProviderPart[]): void;
  /** No more bytes will come. Throws if the reply is not whole. */
  end(parts: ProviderPart[]): void;
}

export interface Protocol {
  /** The `api` of the origin of its replies. */
  readonly id: string;
  encode(request: ProviderRequest, target: Target): WireRequest;
  decoder(target: Target): ReplyDecoder;
  /** The same for a reply that came whole. */
  decodeBody(body: JsonValue, target: Target): ProviderPart[];
  /** What an answer with an error status, or an error event, means. */
  toError(failure: VendorFailure, target: Target): ProviderError;
}
