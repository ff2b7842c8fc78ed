/** Encodes the result of a tool call. */
import type { ToolMessage } from "@capstan/kernel";
import { isBlankText } from "../projection/shown-media.ts";
import type { EncodeMedia } from "./encode-media.ts";
import type { AiSdkFilePart, AiSdkTextPart, AiSdkToolOutput } from "./prompt.ts";

const emptyError = "The tool failed without a message.";

export const missingOutput: AiSdkToolOutput = {
  type: "error-text",
  value: "No result is available for this call.",
};

export function toOutput({ content, isError }: ToolMessage, media: EncodeMedia): AiSdkToolOutput {
  if (typeof content === "string") return isError ? errorText(content) : text(content);
  const parts = content.flatMap((part) => media(part) ?? []);
  if (!isError) return { type: "content", value: parts };
  const isText = parts.every((part) => part.type === "text");
  // The AI SDK has no form for a failure with images.
  return isText ? errorText(textsOf(parts)) : { type: "content", value: [failed, ...parts] };
}

const failed: AiSdkTextPart = { type: "text", text: "The tool failed." };

function text(value: string): AiSdkToolOutput {
  return { type: "text", value };
}

/** Some models reject an error without text. */
function errorText(value: string): AiSdkToolOutput {
  return { type: "error-text", value: isBlankText(value) ? emptyError : value };
}

function textsOf(parts: readonly (AiSdkTextPart | AiSdkFilePart)[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
}
