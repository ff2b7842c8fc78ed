/** The parts of messages. */
import type {
  AssistantPart,
  DocumentPart,
  ImagePart,
  NativePart,
  RefusalPart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolContent,
  ToolContentPart,
  UserPart,
} from "@capstan/kernel";
import { z } from "zod";
import { either } from "./either.ts";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { listOf, openObject } from "./open-object.ts";
import { unionOf } from "./union-of.ts";

const providerData = JsonValueSchema.exactOptional();

/** Schema of a `TextPart`. */
export const TextPartSchema: z.ZodType<TextPart> = openObject(
  fieldsOf<TextPart>()({ type: z.literal("text"), text: z.string(), providerData }),
);

/** Schema of a `ThinkingPart`. */
export const ThinkingPartSchema: z.ZodType<ThinkingPart> = openObject(
  fieldsOf<ThinkingPart>()({ type: z.literal("thinking"), thinking: z.string(), providerData }),
);

/** Schema of a `RefusalPart`. */
export const RefusalPartSchema: z.ZodType<RefusalPart> = openObject(
  fieldsOf<RefusalPart>()({ type: z.literal("refusal"), text: z.string(), providerData }),
);

/** Schema of a `ToolCallPart`. */
export const ToolCallPartSchema: z.ZodType<ToolCallPart> = openObject(
  fieldsOf<ToolCallPart>()({
    type: z.literal("tool_call"),
    id: z.string(),
    name: z.string(),
    input: JsonValueSchema,
    malformedInput: z.string().exactOptional(),
    isProviderExecuted: z.boolean().exactOptional(),
    providerData,
  }),
);

/** Schema of a `NativePart`. */
export const NativePartSchema: z.ZodType<NativePart> = openObject(
  fieldsOf<NativePart>()({ type: z.literal("native"), data: JsonValueSchema }),
);

const source = { data: z.string().exactOptional(), url: z.string().exactOptional() };

/** Schema of an `ImagePart`. */
export const ImagePartSchema: z.ZodType<ImagePart> = withSource(
  openObject({ type: z.literal("image"), mediaType: z.string(), ...source }),
);

/** Schema of a `DocumentPart`. */
export const DocumentPartSchema: z.ZodType<DocumentPart> = withSource(
  openObject({
    type: z.literal("document"),
    mediaType: z.string(),
    ...source,
    name: z.string().exactOptional(),
  }),
);

/** One object, not a union of two, because a union of parts distinguishes its members by their `type`. */
function withSource<Part>(schema: z.ZodType): z.ZodType<Part> {
  const checked = schema.check(({ value, issues }) => {
    const { data, url } = value as { readonly data?: unknown; readonly url?: unknown };
    if (data !== undefined || url !== undefined) return;
    const message = "Invalid input: expected string, received undefined";
    issues.push({ code: "custom", path: ["data"], input: value, message });
  });
  // The check ensures data or a URL.
  return checked as z.ZodType<Part>;
}

/** Schema of a `UserPart`. */
export const UserPartSchema: z.ZodType<UserPart> = unionOf<UserPart, "type">("type", {
  text: TextPartSchema,
  image: ImagePartSchema,
  document: DocumentPartSchema,
});

/** Schema of an `AssistantPart`. */
export const AssistantPartSchema: z.ZodType<AssistantPart> = unionOf<AssistantPart, "type">(
  "type",
  {
    text: TextPartSchema,
    thinking: ThinkingPartSchema,
    refusal: RefusalPartSchema,
    tool_call: ToolCallPartSchema,
    native: NativePartSchema,
  },
);

/** Schema of a `ToolContentPart`. */
export const ToolContentPartSchema: z.ZodType<ToolContentPart> = unionOf<ToolContentPart, "type">(
  "type",
  {
    text: TextPartSchema,
    image: ImagePartSchema,
    document: DocumentPartSchema,
  },
);

/** Schema of `ToolContent`. */
export const ToolContentSchema: z.ZodType<ToolContent> = textOr(ToolContentPartSchema);

export function textOr<Part>(part: z.ZodType<Part>): z.ZodType<string | readonly Part[]> {
  return either(z.string(), listOf(part), Array.isArray);
}
