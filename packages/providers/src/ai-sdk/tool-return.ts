/** What a tool of ours returns, in the AI SDK's words: an output, or an error that is thrown. */
import type { ToolContentPart, ToolExecutionEvent, ToolOutput } from "@capstan/kernel";
import { asFiles } from "./encode-media.ts";
import { asJson } from "./encode-native.ts";
import { isFields, textIn, toJson } from "./fields.ts";
import type { AiSdkToolOutput } from "./prompt.ts";

type Complete = Extract<ToolExecutionEvent, { type: "complete" }>;

/** As it is. What failed is thrown: that is how the AI SDK tells. */
export function outputOf(returned: unknown): unknown {
  if (isToolOutput(returned) && !returned.ok) throw new Error(returned.outputMessage);
  return returned;
}

/** With its details, where there is a form that has both. */
export function outputOfEvent({ output, details, isError }: Complete): unknown {
  if (isError === true) throw new Error(typeof output === "string" ? output : textsOf(output));
  if (details === undefined || typeof output !== "string") return output;
  return { ok: true, outputMessage: output, details } satisfies ToolOutput;
}

/** What the model sees of an output. */
export function toModelOutput(output: unknown): AiSdkToolOutput {
  if (output === undefined || output === "") return { type: "text", value: "(no output)" };
  if (typeof output === "string") return { type: "text", value: output };
  if (isToolOutput(output)) return { type: "text", value: output.outputMessage };
  if (!isContent(output)) return { type: "json", value: asJson(toJson(output) ?? null) };
  return { type: "content", value: output.flatMap((part) => asFiles(part) ?? []) };
}

function textsOf(parts: readonly ToolContentPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

function isToolOutput(value: unknown): value is ToolOutput {
  if (!isFields(value)) return false;
  return typeof value["ok"] === "boolean" && textIn(value, "outputMessage") !== undefined;
}

function isContent(value: unknown): value is readonly ToolContentPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentPart);
}

function isContentPart(value: unknown): boolean {
  if (!isFields(value)) return false;
  if (value["type"] === "text") return textIn(value, "text") !== undefined;
  const isMedia = value["type"] === "image" || value["type"] === "document";
  return isMedia && textIn(value, "mediaType") !== undefined && textIn(value, "data") !== undefined;
}
