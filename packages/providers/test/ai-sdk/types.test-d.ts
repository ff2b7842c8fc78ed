/** What we give to the AI SDK is what it takes, and what it has is what we take: what it changes is an error here. */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import type { ModelMessage, ToolSet } from "ai";
import { expectTypeOf, test } from "vitest";
import type { OlderCallOptions } from "../../src/ai-sdk/encode-request.ts";
import type { AnyAiSdkMessage } from "../../src/ai-sdk/from-messages.ts";
import type { AnyAiSdkTool } from "../../src/ai-sdk/from-tools.ts";
import type { AiSdkCallOptions, AiSdkModel } from "../../src/ai-sdk/model.ts";
import type { AiSdkMessage } from "../../src/ai-sdk/prompt.ts";
import type { AiSdkTool } from "../../src/ai-sdk/to-tools.ts";

test("a model of either version is one of ours", () => {
  expectTypeOf<LanguageModelV4>().toExtend<AiSdkModel>();
  expectTypeOf<LanguageModelV3>().toExtend<AiSdkModel>();
});

test("what a model is asked is what it takes", () => {
  expectTypeOf<AiSdkCallOptions>().toExtend<LanguageModelV4CallOptions>();
  expectTypeOf<keyof AiSdkCallOptions>().toExtend<keyof LanguageModelV4CallOptions>();
});

test("a message is one of a prompt, and one that the AI SDK's functions take", () => {
  expectTypeOf<AiSdkMessage[]>().toExtend<LanguageModelV4Prompt>();
  expectTypeOf<AiSdkMessage[]>().toExtend<ModelMessage[]>();
});

test("our tools fit into a tool set, and theirs are taken", () => {
  expectTypeOf<Record<string, AiSdkTool>>().toExtend<ToolSet>();
  expectTypeOf<ToolSet>().toExtend<Readonly<Record<string, AnyAiSdkTool>>>();
});

test("any message of the AI SDK is taken", () => {
  expectTypeOf<ModelMessage>().toExtend<AnyAiSdkMessage>();
});

test("a prompt for version 3 is one of its own", () => {
  expectTypeOf<OlderCallOptions>().toExtend<LanguageModelV3CallOptions>();
});
