/** Names of vendor options are those of the official clients: drift is an error here. */
import type Anthropic from "@anthropic-ai/sdk";
import type { AgentInit, SessionSettings, TurnOverrides } from "@capstan/core";
import type { GenerateContentConfig } from "@google/genai";
import type OpenAI from "openai";
import { expectTypeOf, test } from "vitest";
import type { MessagesOptions } from "../src/anthropic.ts";
import { anthropic } from "../src/anthropic.ts";
import type { GenerateOptions } from "../src/google.ts";
import { google } from "../src/google.ts";
import type { ResponsesOptions } from "../src/openai.ts";
import { openai } from "../src/openai.ts";
import { openaiCompatible } from "../src/openai-compatible.ts";

/** Without the index signature. */
type Named<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

type Options = NonNullable<AgentInit["providerOptions"]>;

test("the named fields are fields of the vendors' own requests", () => {
  expectTypeOf<Named<ResponsesOptions>>().toExtend<keyof OpenAI.Responses.ResponseCreateParams>();
  expectTypeOf<Exclude<Named<MessagesOptions>, "betas">>().toExtend<
    keyof Anthropic.Beta.Messages.MessageCreateParams
  >();
  expectTypeOf<Exclude<Named<GenerateOptions>, "generationConfig">>().toExtend<
    keyof GenerateContentConfig
  >();
});

test("agents, sessions and turns take the same options, typed for vendors with types", () => {
  expectTypeOf<SessionSettings["providerOptions"]>().toEqualTypeOf<AgentInit["providerOptions"]>();
  expectTypeOf<TurnOverrides["providerOptions"]>().toEqualTypeOf<AgentInit["providerOptions"]>();
  expectTypeOf<{ openai: { truncation: "auto"; new_field: 1 } }>().toExtend<Options>();
  expectTypeOf<{ openai: { truncation: "never" } }>().not.toExtend<Options>();
  expectTypeOf<{ anthropic: { betas: string } }>().not.toExtend<Options>();
  expectTypeOf<{ house: { anything: true } }>().toExtend<Options>();
  expectTypeOf<{ house: "text" }>().not.toExtend<Options>();
});

test("a variable of the environment can be passed as it is, also if it may be missing", () => {
  const apiKey = process.env["SOME_KEY"];
  const baseUrl = process.env["SOME_URL"];

  for (const vendor of [anthropic, google, openai]) vendor("some-model", { apiKey, baseUrl });
  openaiCompatible({ baseUrl: "http://house.test", id: undefined }, { apiKey });
  // @ts-expect-error -- a server has a URL
  openaiCompatible({ baseUrl });
});
