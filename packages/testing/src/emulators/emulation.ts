/** What a protocol brings to be emulated. The server, the script and the faults are the same for all. */
import type { JsonValue, ProviderPart, ProviderRequest, Usage } from "@capstan/kernel";
import type { JsonObject } from "./json.ts";
import type { Refusal } from "./refusal.ts";

export type WireHeaders = Readonly<Record<string, string>>;

/** One event of a stream, a comment, which clients pass over, or a text that is sent as it is. */
export type WireEvent =
  | { readonly event?: string; readonly data: JsonObject }
  | { readonly comment: string }
  | { readonly text: string };

export interface Emulation {
  /** For people, in messages. */
  readonly name: string;
  /** Where requests are posted. */
  readonly path: string | RegExp;
  /** What stands behind the origin in the base URL that the vendor's clients are given. */
  readonly basePath: string;
  readonly maxBodyBytes: number;
  /** What stands in a stream in the place of an event, and is none. Default: a named event that is not JSON. */
  readonly brokenEvent?: string;
  /** Throws a `Refusal`. */
  authorize(headers: WireHeaders, url: URL): void;
  /** Throws a `Refusal`. What it returns is recorded, and answered by the next item of the script. */
  accept(body: JsonObject, headers: WireHeaders, url: URL): AcceptedRequest;
  /** The vendor's words for what goes wrong before a body is looked at. */
  readonly wrong: {
    path(method: string, path: string): Refusal;
    method(method: string, path: string): Refusal;
    json(reason: string): Refusal;
    tooLarge(): Refusal;
  };
  /** How the vendor shows a failure that the script asks for. */
  toRefusal(error: Error): Refusal;
  errorBody(refusal: Refusal, requestId: string, url: URL): JsonValue;
  responseHeaders(requestId: string): WireHeaders;
}

export interface AcceptedRequest {
  readonly isStreaming: boolean;
  /** The content type of the stream. Default: server-sent events. */
  readonly streamType?: string;
  /** What the request costs by the estimate, and by what is in the emulated cache. */
  readonly usage: Usage;
  readonly view: RequestView;
  reply(): ReplyWriter;
}

/** What a script sees of the request, in the words of the contract. */
export type RequestView = Pick<ProviderRequest, "messages" | "tools" | "options">;

/** One reply, written down as it is played. */
export interface ReplyWriter {
  /** What the vendor would send for this part. The finish brings the events that end the stream. */
  take(part: ProviderPart): readonly WireEvent[];
  /** What the vendor sends when it fails in the middle. */
  fail(refusal: Refusal): readonly WireEvent[];
  /** The reply in one piece, once it has finished. */
  body(): JsonValue;
}
