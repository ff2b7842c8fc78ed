/** Differences of a server that speaks Chat Completions: fields, rules, messages and streaming habits. */
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusal.ts";
import type { Failures } from "../scripted-failure.ts";
import type { Sealer } from "../sealer.ts";
import type { Shape, ShapeIssue } from "../shape.ts";
import type { ChatRequest } from "./chat-request.ts";

/** How a server streams. Each dialect has its own settings, and a test may override any of them. */
export interface ChatQuirks {
  /** Sent before the first chunk. */
  readonly opening: "nothing" | "comments" | "empty-chunk";
  readonly role: "first" | "every" | "missing";
  readonly content: "text" | "parts";
  /** Field of thinking. `parts` are parts of the content. */
  readonly reasoning: "hidden" | "reasoning_content" | "reasoning" | "reasoning_details" | "parts";
  readonly callIndex: "from-zero" | "from-one" | "missing";
  /** True if a call comes in one chunk, not in pieces. */
  readonly hasWholeCalls: boolean;
  /** True if every piece of a call repeats its id and name. */
  readonly repeatsCalls: boolean;
  readonly finishReason: "once" | "repeated" | "missing";
  /** `asked`: in a separate chunk, if the client requests it. `last`: with the finish reason. */
  readonly usage: "asked" | "last" | "x_groq";
  readonly hasDone: boolean;
  readonly errors: "data" | "event" | "chunk";
}

type Fields = Readonly<Record<string, Shape>>;

export interface DialectFields {
  /** True if it ignores unknown fields. */
  readonly ignoresUnknown: boolean;
  /** Fields besides the messages. */
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

export interface DialectWords {
  toShapeRefusal(issue: ShapeIssue, body: JsonObject): Refusal;
  /** Undefined if no key is required. */
  readonly noKey: (() => Refusal) | undefined;
  wrongKey(key: string): Refusal;
  unknownModel(model: string): Refusal;
  /** Undefined if a prompt that is too long is truncated. */
  readonly tooLong: ((tokens: number, window: number, model: string) => Refusal) | undefined;
  /** The vendor's errors for scripted failures. */
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
  /** True if it has a field for refusals; otherwise they are text. */
  readonly hasRefusals: boolean;
  /** Fields of every chunk and body. */
  readonly envelope: JsonObject;
  /** Fields of every choice besides its content. */
  readonly choice: JsonObject;
  hasModel(model: string): boolean;
  windowOf(model: string): number;
  newReplyId(count: number): string;
  newCallId(count: number): string;
  toUsage(counts: UsageCounts): JsonObject;
  /** Refuses invalid requests of the right shape. Throws a `Refusal`. */
  check(request: ChatRequest, context: CheckContext): void;
}

interface CheckContext {
  /** Body as received. */
  readonly body: JsonObject;
  readonly sealer: Sealer;
  readonly trustsForeign: boolean;
}

export function maskKey(key: string): string {
  return key.length > 12 ? `${key.slice(0, 8)}***${key.slice(-4)}` : "***";
}
