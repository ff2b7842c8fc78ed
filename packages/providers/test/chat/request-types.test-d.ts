/** Our request is one of OpenAI's own: what OpenAI takes away is an error here. */
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import { expectTypeOf, test } from "vitest";
import type { ChatRequest } from "../../src/protocols/openai-chat/request.ts";
import type { Writable } from "../writable.ts";

test("every field of a request is one of OpenAI's, with values that it takes", () => {
  expectTypeOf<Writable<Omit<ChatRequest, "stream">>>().toExtend<
    Omit<ChatCompletionCreateParams, "stream">
  >();
  expectTypeOf<keyof ChatRequest>().toExtend<keyof ChatCompletionCreateParams>();
});
