/** Parts of an emulator that depend on the protocol. The server, the script and the faults are shared. */
import type { JsonValue, ProviderPart, ProviderRequest, Usage } from "@capstan/kernel";
import type { JsonObject } from "./json.ts";
import type { Refusal } from "./refusal.ts";
import type { VendorFailures } from "./scripted-failure.ts";

export type WireHeaders = Readonly<Record<string, string>>;

/** One event of a stream, a comment, which clients ignore, or raw text. */
export type WireEvent =
  | { readonly event?: string; readonly data: JsonObject }
  | { readonly comment: string }
  | { readonly text: string };

export interface Emulation {
  /** For people, in messages. */
  readonly name: string;
  /** Path of requests. */
  readonly path: string | RegExp;
  /** Path after the origin in the base URL for the vendor's clients. */
  readonly basePath: string;
  readonly maxBodyBytes: number;
  /** Malformed text sent instead of an event. Default: a named event that is not JSON. */
  readonly brokenEvent?: string;
  /** Throws a `Refusal`. */
  authorize(headers: WireHeaders, url: URL): void;
  /** Throws a `Refusal`. The result is recorded, and answered by the next item of the script. */
  accept(body: JsonObject, headers: WireHeaders, url: URL): AcceptedRequest;
  /** The vendor's errors for problems before a body is parsed. */
  readonly wrong: {
    path(method: string, path: string): Refusal;
    method(method: string, path: string): Refusal;
    json(reason: string): Refusal;
    tooLarge(): Refusal;
  };
  /** The vendor's errors for scripted failures. */
  readonly failures: VendorFailures;
  errorBody(refusal: Refusal, requestId: string, url: URL): JsonValue;
  responseHeaders(requestId: string): WireHeaders;
}

export interface AcceptedRequest {
  readonly isStreaming: boolean;
  /** Content type of the stream. Default: server-sent events. */
  readonly streamType?: string;
  /** Estimated usage of the request, including hits of the emulated cache. */
  readonly usage: Usage;
  readonly view: RequestView;
  reply(): ReplyWriter;
}

/** Part of the request visible to a script, in terms of the contract. */
export type RequestView = Pick<ProviderRequest, "messages" | "tools" | "options">;

/** Writes one reply while it is played. */
export interface ReplyWriter {
  /** Returns the vendor's events for this part. The finish includes the events that end the stream. */
  take(part: ProviderPart): readonly WireEvent[];
  /** Returns the vendor's events for a failure in mid-stream. */
  fail(refusal: Refusal): readonly WireEvent[];
  /** Returns the complete reply, once it has finished. */
  body(): JsonValue;
}
