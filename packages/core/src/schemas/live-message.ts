/** The content of a `snapshot`: a message and tool outputs that are still growing. */
import type { LiveMessage, LivePart, LiveToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { ordinal } from "./numbers.ts";
import { listOf, openObject } from "./open-object.ts";
import { unionOf } from "./union-of.ts";

type LivePartOf<Type> = Extract<LivePart, { readonly type: Type }>;

const LivePartSchema: z.ZodType<LivePart> = unionOf<LivePart, "type">("type", {
  text: openObject(
    fieldsOf<LivePartOf<"text">>()({
      type: z.literal("text"),
      text: z.string(),
      omittedChars: ordinal.exactOptional(),
    }),
  ),
  thinking: openObject(
    fieldsOf<LivePartOf<"thinking">>()({
      type: z.literal("thinking"),
      thinking: z.string(),
      omittedChars: ordinal.exactOptional(),
    }),
  ),
  tool_call: openObject(
    fieldsOf<LivePartOf<"tool_call">>()({
      type: z.literal("tool_call"),
      index: ordinal,
      id: z.string(),
      name: z.string(),
      inputText: z.string(),
      input: JsonValueSchema.exactOptional(),
      omittedChars: ordinal.exactOptional(),
    }),
  ),
});

export const LiveMessageSchema: z.ZodType<LiveMessage> = openObject(
  fieldsOf<LiveMessage>()({ id: z.string(), content: listOf(LivePartSchema) }),
);

export const LiveToolOutputSchema: z.ZodType<LiveToolOutput> = openObject(
  fieldsOf<LiveToolOutput>()({
    toolCallId: z.string(),
    output: z.string(),
    omittedChars: ordinal.exactOptional(),
  }),
);
