/** Our request is one that the vendor's own types allow, and what we read is what they say comes: drift is an error here. */
import type Anthropic from "@anthropic-ai/sdk";
import type { Model } from "@capstan/core";
import { expectTypeOf, test } from "vitest";
import type { anthropic } from "../../src/anthropic.ts";
import type {
  CacheControl,
  Effort,
  KnownAssistantBlock,
  MessagesRequest,
  UserBlock,
  WireMessage,
  WireOutputConfig,
  WireThinking,
  WireTool,
  WireToolChoice,
} from "../../src/protocols/anthropic-messages/request.ts";

type BetaParams = Omit<Anthropic.Beta.Messages.MessageCreateParams, "stream">;
type StableParams = Omit<Anthropic.Messages.MessageCreateParams, "stream" | "thinking">;

/** The vendor's types let their lists be changed; ours do not. */
type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

/** Native blocks go back as they came, so only the others can be held to a type. */
type KnownMessage = Exclude<WireMessage, { role: "assistant" }> | KnownReply;
interface KnownReply {
  readonly role: "assistant";
  readonly content: readonly KnownAssistantBlock[];
}
/** The vendor's client speaks a newer version of the API, which has no sampling settings any more. */
type KnownRequest = Omit<
  MessagesRequest,
  "messages" | "stream" | "temperature" | "top_p" | "top_k"
> & {
  readonly messages: readonly KnownMessage[];
};

test("what `anthropic` returns is a model for an agent", () => {
  expectTypeOf<typeof anthropic>().returns.toExtend<Model>();
});

test("a whole request is one of the vendor's", () => {
  expectTypeOf<Writable<KnownRequest>>().toExtend<BetaParams>();
  expectTypeOf<keyof KnownRequest>().toExtend<keyof BetaParams>();
});

test("without what is in beta it is one of the stable API", () => {
  expectTypeOf<Writable<Omit<KnownRequest, "thinking">>>().toExtend<StableParams>();
});

test("so is each of its pieces", () => {
  expectTypeOf<Writable<UserBlock>>().toExtend<Anthropic.Messages.ContentBlockParam>();
  expectTypeOf<Writable<KnownAssistantBlock>>().toExtend<Anthropic.Messages.ContentBlockParam>();
  expectTypeOf<Writable<WireTool>>().toExtend<Anthropic.Messages.Tool>();
  expectTypeOf<Writable<WireToolChoice>>().toExtend<Anthropic.Messages.ToolChoice>();
  expectTypeOf<Writable<WireOutputConfig>>().toExtend<Anthropic.Messages.OutputConfig>();
  expectTypeOf<
    Writable<WireThinking>
  >().toExtend<Anthropic.Beta.Messages.BetaThinkingConfigParam>();
  expectTypeOf<Writable<CacheControl>>().toExtend<Anthropic.Messages.CacheControlEphemeral>();
});

test("there is no kind of thinking, choice or effort that we do not know", () => {
  type Config = Anthropic.Beta.Messages.BetaThinkingConfigParam;

  expectTypeOf<Config["type"]>().toEqualTypeOf<WireThinking["type"]>();
  expectTypeOf<Anthropic.Messages.ToolChoice["type"]>().toEqualTypeOf<WireToolChoice["type"]>();
  expectTypeOf<NonNullable<Anthropic.Messages.OutputConfig["effort"]>>().toEqualTypeOf<Effort>();
});

test("there is no event, delta or stop reason that we do not know", () => {
  expectTypeOf<Anthropic.Beta.Messages.BetaRawMessageStreamEvent["type"]>().toEqualTypeOf<
    | "message_start"
    | "message_delta"
    | "message_stop"
    | "content_block_start"
    | "content_block_delta"
    | "content_block_stop"
  >();
  expectTypeOf<Anthropic.Beta.Messages.BetaRawContentBlockDelta["type"]>().toEqualTypeOf<
    | "text_delta"
    | "input_json_delta"
    | "citations_delta"
    | "thinking_delta"
    | "signature_delta"
    | "compaction_delta"
  >();
  expectTypeOf<Anthropic.Beta.Messages.BetaStopReason>().toEqualTypeOf<
    | "end_turn"
    | "max_tokens"
    | "stop_sequence"
    | "tool_use"
    | "pause_turn"
    | "compaction"
    | "refusal"
    | "model_context_window_exceeded"
  >();
});

test("the counts that we read are numbers, or nothing", () => {
  type Usage = Anthropic.Messages.Usage;

  expectTypeOf<Usage["input_tokens"]>().toEqualTypeOf<number>();
  expectTypeOf<Usage["output_tokens"]>().toEqualTypeOf<number>();
  expectTypeOf<Usage["cache_read_input_tokens"]>().toEqualTypeOf<number | null>();
  expectTypeOf<Usage["cache_creation_input_tokens"]>().toEqualTypeOf<number | null>();
  expectTypeOf<
    NonNullable<Usage["output_tokens_details"]>["thinking_tokens"]
  >().toEqualTypeOf<number>();
});

test("the betas that we ask for exist", () => {
  type Known = "thinking-binding-controls-2026-08-01" | "interleaved-thinking-2025-05-14";

  expectTypeOf<Extract<Anthropic.Beta.AnthropicBeta, Known>>().toEqualTypeOf<Known>();
});
