/** What a server that speaks Chat Completions has of its own: fields, rules, words and habits. */
import type { ProviderErrorCode } from "@capstan/kernel";
import type { JsonObject } from "../json.ts";
import type { Refusal, RefusalOptions } from "../refusal.ts";
import type { Sealer } from "../sealer.ts";
import type { Shape, ShapeIssue } from "../shape.ts";
import type { ChatRequest } from "./chat-request.ts";

/** How a server streams. Each dialect has its own, and a test may set any of them. */
export interface ChatQuirks {
  /** What stands before the first chunk. */
  readonly opening: "nothing" | "comments" | "empty-chunk";
  readonly role: "first" | "every" | "missing";
  readonly content: "text" | "parts";
  /** Where thinking stands. `parts` are parts of the content. */
  readonly reasoning: "hidden" | "reasoning_content" | "reasoning" | "reasoning_details" | "parts";
  readonly callIndex: "from-zero" | "from-one" | "missing";
  /** A call comes in one chunk, not in pieces. */
  readonly hasWholeCalls: boolean;
  /** Every piece of a call says again which one it is. */
  readonly repeatsCalls: boolean;
  readonly finishReason: "once" | "repeated" | "missing";
  /** `asked`: in a chunk of its own, if the client wants it. `last`: with the finish reason. */
  readonly usage: "asked" | "last" | "x_groq";
  readonly hasDone: boolean;
  readonly errors: "data" | "event" | "chunk";
}

type Fields = Readonly<Record<string, Shape>>;

export interface DialectFields {
  /** What it does not know, it passes over. */
  readonly ignoresUnknown: boolean;
  /** Beside the messages. */
  readonly request: Fields;
  /** By role. */
  readonly messages: Fields;
}

interface UsageCounts {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly reasoning: number;
}

type FailureCode = Exclude<ProviderErrorCode, "network" | "protocol">;
export type Failures = Readonly<Record<FailureCode, RefusalOptions & { readonly message: string }>>;

export interface DialectWords {
  toShapeRefusal(issue: ShapeIssue, body: JsonObject): Refusal;
  /** Undefined where nobody asks for a key. */
  readonly noKey: (() => Refusal) | undefined;
  wrongKey(key: string): Refusal;
  unknownModel(model: string): Refusal;
  /** Undefined where a prompt that is too long is cut. */
  readonly tooLong: ((tokens: number, window: number, model: string) => Refusal) | undefined;
  /** How it shows the failures that a script asks for. */
  readonly failures: Failures;
  errorBody(refusal: Refusal): JsonObject;
}

export interface ChatDialect {
  /** For people, in messages. */
  readonly name: string;
  readonly basePath: string;
  readonly fields: DialectFields;
  readonly words: DialectWords;
  readonly quirks: ChatQuirks;
  /** It has a field for refusals; elsewhere they are text. */
  readonly hasRefusals: boolean;
  /** What stands in every chunk and body. */
  readonly envelope: JsonObject;
  /** What stands in every choice beside its content. */
  readonly choice: JsonObject;
  hasModel(model: string): boolean;
  windowOf(model: string): number;
  newReplyId(count: number): string;
  newCallId(count: number): string;
  toUsage(counts: UsageCounts): JsonObject;
  /** What it refuses in a request of the right shape. Throws a `Refusal`. */
  check(request: ChatRequest, context: CheckContext): void;
}

interface CheckContext {
  /** The body as it came. */
  readonly body: JsonObject;
  readonly sealer: Sealer;
  readonly trustsForeign: boolean;
}
