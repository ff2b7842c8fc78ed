/** Compares what a reply was decoded to with what an independent parser read in the same bytes. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type {
  AssistantPart,
  FinishReason,
  NativePart,
  ProviderErrorCode,
  ToolCallPart,
} from "@capstan/kernel";
import { isExplanation } from "../../src/projection/no-answer.ts";
import type { DecodedReply } from "./decode-reply.ts";
import type { Expectation, Sealed } from "./fixtures.ts";

/** What a protocol has to say about its own parts and words. */
export interface ReplyAdapter {
  /** Our word for the vendor's finish reason; undefined where it is not to be compared. */
  finishReason(word: string, expected: Expectation): FinishReason | undefined;
  /** What the vendor calls a call; undefined where it has no id. */
  callId(call: ToolCallPart): string | undefined;
  /** The sealed strings of a part that have to go back, in order: signatures, encrypted reasoning. */
  seals(part: AssistantPart): readonly string[];
  /** What a native part counts as in `order`; undefined where it counts as nothing. Default `server_tool`. */
  nativeKind?(part: NativePart): string | undefined;
  /** The vendor's type of a native part or of a call that the provider ran; undefined for one that is no server tool. */
  serverTool?(part: NativePart | ToolCallPart): string | undefined;
  /** The input of a call as the recording has it, where ours is another. Default `input`. */
  callInput?(call: ToolCallPart): unknown;
  /** Whether a reply is told as a failure, though its bytes are whole. */
  fails?(expected: Expectation): boolean;
  /** The code of the error that a failed reply ends in. */
  errorCode?(expected: Expectation): ProviderErrorCode | undefined;
  /** Facts that are known to differ, and rightly so. */
  readonly except?: (expected: Expectation) => readonly string[];
}

/** One line for each fact that differs. */
export function compareReply(
  { message, error, parts }: DecodedReply,
  expected: Expectation,
  adapter: ReplyAdapter,
): readonly string[] {
  const differences: string[] = [];
  const except = adapter.except?.(expected) ?? [];
  const compare = (fact: string, actual: unknown, wanted: unknown): void => {
    if (except.includes(fact) || isDeepStrictEqual(actual, wanted)) return;
    differences.push(`${fact}: ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`);
  };
  compareFailure(error, expected, adapter, compare);
  // What a failed reply keeps of its content is the kernel's choice: half calls and unsigned thinking go.
  if (!isOk(expected, adapter)) return differences;
  // The recordings have no explanations where a vendor gave no answer.
  const content = (message?.content ?? []).filter(
    (part) => part.type !== "refusal" || !isExplanation(part),
  );
  compare("text", textOf(content, "text"), expected.text);
  compare("reasoning", textOf(content, "thinking"), expected.reasoning ?? "");
  compare("refusal", textOf(content, "refusal"), expected.refusal ?? "");
  compare("reasoning_blocks", sealsOf(content, adapter), sealsIn(expected));
  compare("tool_calls", callsOf(content, adapter), callsIn(expected));
  compare("order", orderOf(content, adapter), expected.order ?? []);
  compareServerTools(content, expected, adapter, compare);
  // A reply that says nothing leaves no message, but has an end.
  const end = parts.findLast((part) => part.type === "finish");
  const counts = parts.findLast((part) => part.type === "usage")?.usage;
  compareUsage(message?.usage ?? end?.usage ?? counts ?? {}, expected, compare);
  const word = expected.finish_reason;
  const reason = word === null ? undefined : adapter.finishReason(String(word), expected);
  if (reason !== undefined) compare("finish_reason", message?.stopReason ?? end?.reason, reason);
  return differences;
}

function isOk(expected: Expectation, adapter: ReplyAdapter): boolean {
  return expected.ok && adapter.fails?.(expected) !== true;
}

type Compare = (fact: string, actual: unknown, wanted: unknown) => void;

/** A stream that was cut off may be asked for again; an error repeats the vendor's own words. */
function compareFailure(
  error: DecodedReply["error"],
  expected: Expectation,
  adapter: ReplyAdapter,
  compare: Compare,
): void {
  compare("ok", error === undefined, isOk(expected, adapter));
  if (error === undefined || isOk(expected, adapter)) return;
  if (expected.truncated === true) {
    compare("truncated", [error.code, error.retryable], ["network", true]);
    return;
  }
  const said = messageIn(expected.error);
  if (said !== undefined) compare("error", includes(error.message, said), true);
  const code = adapter.errorCode?.(expected);
  if (code !== undefined) compare("error.code", error.code, code);
}

/** By their first words: long ones are shortened. */
function includes(message: string, said: string): boolean {
  return message.includes(said.trim().replaceAll(/\s+/g, " ").slice(0, 100));
}

function messageIn(error: Expectation["error"]): string | undefined {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return undefined;
  const { message } = error as { readonly message?: unknown };
  return typeof message === "string" ? message : undefined;
}

function textOf(content: readonly AssistantPart[], type: "text" | "thinking" | "refusal"): string {
  return content.map((part) => (part.type === type ? proseOf(part) : "")).join("");
}

function proseOf(part: AssistantPart): string {
  if (part.type === "thinking") return part.thinking;
  return "text" in part ? part.text : "";
}

function sealsOf(content: readonly AssistantPart[], adapter: ReplyAdapter): readonly Sealed[] {
  return content.flatMap((part) => adapter.seals(part)).map(seal);
}

function seal(text: string): Sealed {
  const sha256 = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { chars: text.length, sha256 };
}

function sealsIn({ reasoning_blocks: blocks = [] }: Expectation): readonly Sealed[] {
  return blocks
    .map(({ signature, encrypted, data }) => signature ?? encrypted ?? data)
    .filter((sealed) => sealed !== undefined && sealed !== null)
    .map(({ chars, sha256 }) => ({ chars, sha256 }));
}

function callsOf(content: readonly AssistantPart[], adapter: ReplyAdapter): readonly unknown[] {
  return content
    .filter((part) => part.type === "tool_call")
    .filter((call) => call.isProviderExecuted !== true)
    .map((call) => ({
      id: adapter.callId(call) ?? null,
      name: call.name,
      input: call.malformedInput === undefined ? inputOf(call, adapter) : null,
    }));
}

function inputOf(call: ToolCallPart, adapter: ReplyAdapter): unknown {
  return adapter.callInput === undefined ? call.input : adapter.callInput(call);
}

function callsIn(expected: Expectation): readonly unknown[] {
  return expected.tool_calls.map(({ id, name, arguments: input, custom_input: custom }) => ({
    id,
    name,
    input: input === undefined ? custom : input,
  }));
}

function orderOf(content: readonly AssistantPart[], adapter: ReplyAdapter): readonly string[] {
  return content.map((part) => kindOf(part, adapter)).filter((kind) => kind !== undefined);
}

function kindOf(part: AssistantPart, adapter: ReplyAdapter): string | undefined {
  if (part.type === "thinking") return "reasoning";
  if (part.type === "tool_call") return part.isProviderExecuted ? "server_tool" : "tool_call";
  if (part.type !== "native") return part.type;
  return adapter.nativeKind === undefined ? "server_tool" : adapter.nativeKind(part);
}

function compareServerTools(
  content: readonly AssistantPart[],
  expected: Expectation,
  adapter: ReplyAdapter,
  compare: Compare,
): void {
  if (adapter.serverTool === undefined) return;
  const types = content
    .filter((part) => part.type === "native" || part.type === "tool_call")
    .map((part) => adapter.serverTool?.(part))
    .filter((type) => type !== undefined);
  compare("server_tools", types, expected.server_tools?.map(({ type }) => type) ?? []);
}

function compareUsage(
  usage: NonNullable<NonNullable<DecodedReply["message"]>["usage"]>,
  { usage: expected }: Expectation,
  compare: Compare,
): void {
  const counts = [
    ["input", usage.inputTokens],
    ["output", usage.outputTokens],
    ["cache_read", usage.cacheReadTokens],
    ["cache_write", usage.cacheWriteTokens],
    ["reasoning", usage.reasoningTokens],
  ] as const;
  for (const [name, actual] of counts) {
    // The recording has 0 both for what was reported as 0 and for what was not reported.
    const wanted = expected?.[name] ?? undefined;
    if (wanted !== 0 || actual !== undefined) compare(`usage.${name}`, actual ?? 0, wanted ?? 0);
  }
}
