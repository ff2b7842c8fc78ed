/** Converts a prompt for version 3 models, which have another shape for files. */
import type {
  AiSdkCustomPart,
  AiSdkFileData,
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkReasoningFilePart,
  AiSdkReplyPart,
  AiSdkTextPart,
  AiSdkToolOutput,
} from "./prompt.ts";

type UserPart = AiSdkTextPart | AiSdkFilePart;
/** No version 3 model produces the excluded parts. */
type ReplyPart = Exclude<AiSdkReplyPart, AiSdkCustomPart | AiSdkReasoningFilePart>;

export type MessageV3 =
  | Extract<AiSdkMessage, { role: "system" }>
  | { readonly role: "user"; readonly content: PartV3<UserPart>[] }
  | { readonly role: "assistant"; readonly content: PartV3<ReplyPart>[] }
  | { readonly role: "tool"; readonly content: PartV3<ToolPart>[] };

type ToolPart = Extract<AiSdkMessage, { role: "tool" }>["content"][number];

type PartV3<Part> = Part extends AiSdkFilePart
  ? Omit<Part, "data"> & { readonly data: DataV3 }
  : Part extends ToolPart
    ? Omit<Part, "output"> & { readonly output: OutputV3 }
    : Part;

type DataV3 = string | URL;

type OutputV3 =
  | Exclude<AiSdkToolOutput, { type: "content" }>
  | { readonly type: "content"; readonly value: (AiSdkTextPart | ContentV3)[] };

type ContentV3 =
  | { readonly type: "image-data"; readonly data: string; readonly mediaType: string }
  | {
      readonly type: "file-data";
      readonly data: string;
      readonly mediaType: string;
      readonly filename?: string;
    }
  | { readonly type: "file-url"; readonly url: string };

export function toPromptV3(prompt: readonly AiSdkMessage[]): MessageV3[] {
  return prompt.map(toMessageV3);
}

function toMessageV3(message: AiSdkMessage): MessageV3 {
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return { role: "user", content: message.content.map(toUserPart) };
    case "assistant":
      return { role: "assistant", content: message.content.flatMap(toReplyPart) };
    case "tool":
      return { role: "tool", content: message.content.map(toToolPart) };
    default:
      return message satisfies never;
  }
}

function toUserPart(part: UserPart): PartV3<UserPart> {
  return part.type === "file" ? { ...part, data: toData(part.data) } : part;
}

function toReplyPart(part: AiSdkReplyPart): PartV3<ReplyPart>[] {
  if (part.type === "custom" || part.type === "reasoning-file") return [];
  if (part.type === "file") return [{ ...part, data: toData(part.data) }];
  return [part.type === "tool-result" ? toToolPart(part) : part];
}

function toToolPart(part: ToolPart): PartV3<ToolPart> {
  const { output } = part;
  if (output.type !== "content") return { ...part, output };
  return { ...part, output: { type: "content", value: output.value.map(toContent) } };
}

function toContent(part: UserPart): AiSdkTextPart | ContentV3 {
  if (part.type === "text") return part;
  const { mediaType, filename } = part;
  const data = toData(part.data);
  if (data instanceof URL) return { type: "file-url", url: data.href };
  if (mediaType.startsWith("image/")) return { type: "image-data", data, mediaType };
  return { type: "file-data", data, mediaType, ...(filename !== undefined && { filename }) };
}

function toData(data: AiSdkFileData): DataV3 {
  return data.type === "data" ? data.data : data.url;
}
