/** The messages of a transcript. */
import type {
  AssistantMessage,
  ChatMessage,
  CustomMessage,
  KeptOutput,
  Origin,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "@capstan/kernel";
import { z } from "zod";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { amount } from "./numbers.ts";
import { listOf, openObject } from "./open-object.ts";
import { AssistantPartSchema, textOr, ToolContentSchema, UserPartSchema } from "./parts.ts";
import { SerializedErrorSchema } from "./serialized-error.ts";
import { unionOf } from "./union-of.ts";
import { UsageSchema } from "./usage.ts";

const optionalJson = JsonValueSchema.exactOptional();

/** Schema of a `SystemMessage`. */
export const SystemMessageSchema: z.ZodType<SystemMessage> = openObject(
  fieldsOf<SystemMessage>()({ role: z.literal("system"), id: z.string(), content: z.string() }),
);

/** Schema of a `UserMessage`. */
export const UserMessageSchema: z.ZodType<UserMessage> = openObject(
  fieldsOf<UserMessage>()({
    role: z.literal("user"),
    id: z.string(),
    content: textOr(UserPartSchema),
    source: z.enum(["interruption", "closing", "repair", "guard", "child"]).exactOptional(),
    metadata: optionalJson,
  }),
);

/** Schema of an `Origin`. */
export const OriginSchema: z.ZodType<Origin> = openObject(
  fieldsOf<Origin>()({
    provider: z.string(),
    api: z.string().exactOptional(),
    model: z.string().exactOptional(),
    host: z.string().exactOptional(),
  }),
);

/** Schema of an `AssistantMessage`. */
export const AssistantMessageSchema: z.ZodType<AssistantMessage> = openObject(
  fieldsOf<AssistantMessage>()({
    role: z.literal("assistant"),
    id: z.string(),
    content: listOf(AssistantPartSchema),
    stopReason: z.string(),
    usage: UsageSchema.exactOptional(),
    origin: OriginSchema.exactOptional(),
    metadata: optionalJson,
    error: SerializedErrorSchema.exactOptional(),
  }),
);

/** Schema of a `KeptOutput`. */
export const KeptOutputSchema: z.ZodType<KeptOutput> = openObject(
  fieldsOf<KeptOutput>()({
    blob: z.string(),
    mediaType: z.enum(["text/plain", "application/json"]),
    chars: amount,
  }),
);

/** Schema of a `ToolMessage`. */
export const ToolMessageSchema: z.ZodType<ToolMessage> = openObject(
  fieldsOf<ToolMessage>()({
    role: z.literal("tool"),
    id: z.string(),
    toolCallId: z.string(),
    toolName: z.string(),
    content: ToolContentSchema,
    isError: z.boolean(),
    isDenied: z.boolean().exactOptional(),
    details: optionalJson,
    meta: optionalJson,
    kept: KeptOutputSchema.exactOptional(),
    isTerminal: z.boolean().exactOptional(),
  }),
);

/** Schema of a `CustomMessage`. */
export const CustomMessageSchema: z.ZodType<CustomMessage> = openObject(
  fieldsOf<CustomMessage>()({
    role: z.literal("custom"),
    id: z.string(),
    kind: z.string(),
    data: JsonValueSchema,
  }),
);

/** Schema of a `ChatMessage` of any role. */
export const ChatMessageSchema: z.ZodType<ChatMessage> = unionOf<ChatMessage, "role">("role", {
  system: SystemMessageSchema,
  user: UserMessageSchema,
  assistant: AssistantMessageSchema,
  tool: ToolMessageSchema,
  custom: CustomMessageSchema,
});
