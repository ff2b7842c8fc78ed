/** Encodes native parts of a reply, to send them back to the model that produced them. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../wire/wire-json.ts";
import { isObject, textAt } from "../wire/wire-json.ts";
import type {
  AiSdkCustomPart,
  AiSdkFileData,
  AiSdkFilePart,
  AiSdkJson,
  AiSdkProviderOptions,
  AiSdkReasoningFilePart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
} from "./prompt.ts";

type NativeReplyPart =
  | AiSdkFilePart
  | AiSdkReasoningFilePart
  | AiSdkCustomPart
  | AiSdkToolResultPart;

/** The part's provider options, as a field to spread into it. */
export function optionsOf(kept: JsonValue | undefined): {
  readonly providerOptions?: AiSdkProviderOptions;
} {
  const options = isObject(kept) ? kept["providerOptions"] : undefined;
  if (!isObject(options)) return {};
  const objects = Object.entries(options).filter(([, value]) => isObject(value));
  // Only JSON objects by name are left.
  return { providerOptions: Object.fromEntries(objects) as AiSdkProviderOptions };
}

/** Returns undefined for parts no model accepts back, such as sources and approval requests, and for unknown data. */
export function toNativePart(data: JsonValue): NativeReplyPart | undefined {
  if (!isObject(data)) return undefined;
  switch (data["type"]) {
    case "file":
      return toFilePart("file", data);
    case "reasoning-file":
      return toFilePart("reasoning-file", data);
    case "custom": {
      const kind = textAt(data, "kind");
      return isKind(kind) ? { type: "custom", kind, ...optionsOf(data) } : undefined;
    }
    case "tool-result":
      return toToolResult(data);
    default:
      return undefined;
  }
}

function isKind(kind: string | undefined): kind is `${string}.${string}` {
  return kind?.includes(".") === true;
}

function toFilePart(
  type: "file" | "reasoning-file",
  kept: JsonObject,
): AiSdkFilePart | AiSdkReasoningFilePart | undefined {
  const mediaType = textAt(kept, "mediaType");
  const data = toFileData(kept["data"]);
  if (mediaType === undefined || data === undefined) return undefined;
  const filename = textAt(kept, "filename");
  return {
    type,
    mediaType,
    data,
    ...(type === "file" && filename !== undefined && { filename }),
    ...optionsOf(kept),
  };
}

function toFileData(data: JsonValue | undefined): AiSdkFileData | undefined {
  if (!isObject(data)) return undefined;
  const base64 = data["type"] === "data" ? textAt(data, "data") : undefined;
  if (base64 !== undefined) return { type: "data", data: base64 };
  const url = data["type"] === "url" ? (textAt(data, "url") ?? "") : "";
  return URL.canParse(url) ? { type: "url", url: new URL(url) } : undefined;
}

function toToolResult(kept: JsonObject): AiSdkToolResultPart | undefined {
  const toolCallId = textAt(kept, "toolCallId");
  const toolName = textAt(kept, "toolName");
  const output = toOutput(kept["output"]);
  if (toolCallId === undefined || toolName === undefined || output === undefined) return undefined;
  return { type: "tool-result", toolCallId, toolName, output, ...optionsOf(kept) };
}

const outputTypes: ReadonlySet<string> = new Set(["text", "json", "error-text", "error-json"]);

function toOutput(output: JsonValue | undefined): AiSdkToolOutput | undefined {
  if (!isObject(output) || !outputTypes.has(textAt(output, "type") ?? "")) return undefined;
  const value = output["value"] ?? null;
  const isText = typeof value === "string";
  const isError = textAt(output, "type")?.startsWith("error-") === true;
  if (isText && textAt(output, "type")?.endsWith("text") === true) {
    return { type: isError ? "error-text" : "text", value };
  }
  return { type: isError ? "error-json" : "json", value: asJson(value) };
}

/** The AI SDK's types declare mutable lists, but it never mutates them. */
export function asJson(value: JsonValue): AiSdkJson {
  return value as AiSdkJson;
}
