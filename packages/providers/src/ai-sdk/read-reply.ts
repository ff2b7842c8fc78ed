/** Converts a reply part of an AI SDK message. */
import type { AssistantPart, JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../wire/wire-json.ts";
import type { Fields } from "./fields.ts";
import { textIn, toJson } from "./fields.ts";
import { toKeptFile } from "./file-data.ts";

/** Returns undefined for unknown and for empty parts. */
export function readReplyPart(part: Fields): AssistantPart | undefined {
  const text = textIn(part, "text") ?? "";
  const data = dataOf(part);
  const providerData = data && { providerData: data };
  const isNothing = text === "" && data === undefined;
  switch (part["type"]) {
    case "text":
      return isNothing ? undefined : { type: "text", text, ...providerData };
    case "reasoning":
      return isNothing ? undefined : { type: "thinking", thinking: text, ...providerData };
    case "tool-call":
      return readCall(part, data);
    case "tool-result":
    case "tool-approval-request":
    case "custom":
      return native(part, {});
    case "file":
    case "reasoning-file": {
      const file = toKeptFile(part["data"]);
      return file && native(part, { data: file });
    }
    default:
      return undefined;
  }
}

/** Provider data the part must carry when it is sent back. */
function dataOf(part: Fields): JsonObject | undefined {
  const providerOptions = toJson(part["providerOptions"] ?? undefined);
  return providerOptions === undefined ? undefined : { providerOptions };
}

function readCall(part: Fields, data: JsonObject | undefined): AssistantPart {
  const id = textIn(part, "toolCallId") ?? "";
  const isProviderExecuted = part["providerExecuted"] === true;
  const input = toJson(part["input"]);
  return {
    type: "tool_call",
    id,
    name: textIn(part, "toolName") ?? "",
    input: input === undefined ? {} : input,
    ...(isProviderExecuted && { isProviderExecuted }),
    providerData: { id, ...data },
  };
}

function native(part: Fields, replaced: { readonly [key: string]: JsonValue }): AssistantPart {
  const fields = toJson({ ...part, ...replaced });
  // The copy of an object is an object.
  return { type: "native", data: fields ?? {} };
}
