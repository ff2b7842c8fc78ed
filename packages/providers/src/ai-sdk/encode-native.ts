/** What a reply has kept for the model that made it, on its way back. */
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

/** The options that a part has to have, as a field of it. */
export function optionsOf(kept: JsonValue | undefined): {
  readonly providerOptions?: AiSdkProviderOptions;
} {
  const options = isObject(kept) ? kept["providerOptions"] : undefined;
  if (!isObject(options)) return {};
  const objects = Object.entries(options).filter(([, value]) => isObject(value));
  // What is left has objects of JSON by name.
  return { providerOptions: Object.fromEntries(objects) as AiSdkProviderOptions };
}

/** Undefined for what no model takes back, as a source or a request for an approval, and for what is none of ours. */
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

/** The AI SDK's types let anybody write to lists; nobody does. */
export function asJson(value: JsonValue): AiSdkJson {
  return value as AiSdkJson;
}
