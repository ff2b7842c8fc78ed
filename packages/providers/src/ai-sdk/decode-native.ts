/** Decodes reply parts other than text, reasoning and calls. They are kept in the form that goes back to the model that produced them. */
import type { ProviderPart } from "@capstan/kernel";
import type { JsonObject } from "../wire/wire-json.ts";
import { isObject, omit } from "../wire/wire-json.ts";
import type { Fields } from "./fields.ts";
import { requiredText, toJson, unreadablePart } from "./fields.ts";
import { toKeptFile } from "./file-data.ts";

/** Custom parts that describe the message and are not content. */
const announcements: ReadonlySet<string> = new Set(["anthropic.message_start"]);

/** Returns undefined for parts of any other kind. */
export function decodeNative(part: Fields): ProviderPart | undefined {
  switch (part["type"]) {
    case "tool-result":
      // A preview; the final result replaces it.
      return part["preliminary"] === true ? { type: "ping" } : native(part, toolResult(part));
    case "file":
    case "reasoning-file":
      return native(part, fileFields(part));
    case "custom": {
      const kind = requiredText(part, "kind");
      return announcements.has(kind) ? { type: "ping" } : native(part, { kind });
    }
    case "tool-approval-request":
      return native(part, {
        approvalId: requiredText(part, "approvalId"),
        toolCallId: requiredText(part, "toolCallId"),
      });
    case "source":
      return native(part, sourceFields(part));
    default:
      return undefined;
  }
}

function native(part: Fields, fields: JsonObject): ProviderPart {
  const providerOptions = toJson(part["providerMetadata"] ?? undefined);
  const type = requiredText(part, "type");
  const data = { type, ...fields, ...(providerOptions !== undefined && { providerOptions }) };
  return { type: "native", data };
}

/** Result of a tool that the provider ran. */
function toolResult(part: Fields): JsonObject {
  const value = toJson(part["result"]) ?? null;
  const isText = typeof value === "string";
  const type = part["isError"] === true ? "error-json" : isText ? "text" : "json";
  return {
    toolCallId: requiredText(part, "toolCallId"),
    toolName: requiredText(part, "toolName"),
    output: { type, value },
  };
}

function fileFields(part: Fields): JsonObject {
  const data = toKeptFile(part["data"]);
  if (data === undefined) throw unreadablePart("has no data", part);
  return { mediaType: requiredText(part, "mediaType"), data };
}

function sourceFields(part: Fields): JsonObject {
  const fields = toJson(part);
  return isObject(fields) ? omit(fields, ["type", "providerMetadata"]) : {};
}
