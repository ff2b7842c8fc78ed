/** A wire protocol, independent of the vendors that use it: encodes requests and decodes replies. */
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

/** Ids of vendor, protocol and model, and the host that is asked: the `origin` of the reply. */
export type TargetOrigin = Origin & Required<Pick<Origin, "api" | "model">>;

/** Destination of a request. */
export interface Target {
  readonly origin: TargetOrigin;
  readonly quirks: Quirks;
  /** If false, the reply is requested as one JSON body. */
  readonly isStreaming: boolean;
  /** Number of this attempt within the step, from 1. Default: the first. */
  readonly attempt?: number | undefined;
  /** Tokens that fit into a request and its reply, if the registry knows. */
  readonly contextWindow?: number | undefined;
}

/** A request in the vendor's format. */
export interface WireRequest {
  /** Appended to the vendor's base URL, with leading slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonValue;
  /** Returns the message part that a vendor's error means by this path in the body. */
  partAt?(path: string): PartReference | undefined;
  /** Whether the answer is requested in a wrapper, which is removed from the reply. */
  readonly isWrapped?: true;
  /** Fields that some servers or accounts reject. After such a rejection the request is repeated without the field. */
  readonly dispensable?: readonly DispensableField[];
}

/** A field that can be dropped from a request. */
export interface DispensableField {
  /** Unique in the protocol. */
  readonly name: string;
  isRefusedBy(failure: VendorFailure): boolean;
  /** Returns the body without the field. */
  without(body: JsonValue): JsonValue;
}

/** A vendor's error response. */
export interface VendorFailure {
  /** Undefined for an error within a stream. */
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  /** Parsed, if it was JSON. */
  readonly body: JsonValue | undefined;
  /** As received, at most 10,000 characters. */
  readonly text: string;
}

/** Decodes one reply. Both methods push the decoded parts, and throw a `ProviderError` for an error the vendor reports. */
export interface ReplyDecoder {
  /** Decodes the next event of the stream. */
  take(event: SseEvent, parts: ProviderPart[]): void;
  /** Must be called at the end of the stream. Throws if the reply is incomplete. */
  end(parts: ProviderPart[]): void;
}

export interface Protocol {
  /** The `api` in the origin of its replies. */
  readonly id: string;
  encode(request: ProviderRequest, target: Target): WireRequest;
  decoder(target: Target): ReplyDecoder;
  /** Decodes a reply that was not streamed. */
  decodeBody(body: JsonValue, target: Target): ProviderPart[];
  /** Converts a response with an error status, or an error event. */
  toError(failure: VendorFailure, target: Target): ProviderError;
}
