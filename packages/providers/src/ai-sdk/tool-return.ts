/** Converts the return value of one of our tools: an output, or a thrown error. */
import type { ToolContentPart, ToolExecutionEvent, ToolOutput } from "@capstan/kernel";
import { asFiles } from "./encode-media.ts";
import { asJson } from "./encode-native.ts";
import { isFields, textIn, toJson } from "./fields.ts";
import type { AiSdkToolOutput } from "./prompt.ts";

type Complete = Extract<ToolExecutionEvent, { type: "complete" }>;

/** Returns the output unchanged. Failures are thrown, as the AI SDK expects. */
export function outputOf(returned: unknown): unknown {
  if (isToolOutput(returned) && !returned.ok) throw new Error(returned.outputMessage);
  return returned;
}

/** Includes the details if a form exists that holds both. */
export function outputOfEvent({ output, details, isError }: Complete): unknown {
  if (isError === true) throw new Error(typeof output === "string" ? output : textsOf(output));
  if (details === undefined || typeof output !== "string") return output;
  return { ok: true, outputMessage: output, details } satisfies ToolOutput;
}

/** The output as the model sees it. */
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
