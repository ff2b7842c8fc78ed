/** Items of tools that the vendor ran itself, and of tools it wants the client to run. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

/** Calls that need a special kind of result, which none of our tools produces. */
const clientCalls: ReadonlySet<string> = new Set([
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
  "mcp_approval_request",
]);

/** Whether the item cannot be sent back, because the vendor would require its result. */
export function isUnanswerable(item: JsonObject): boolean {
  const type = textAt(item, "type") ?? "";
  const isClients = type === "tool_search_call" && item["execution"] === "client";
  return isClients || clientCalls.has(type);
}

export interface ServerCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** Name and input of the call, for display; undefined for an item that is not a call, or not run by the vendor. */
export function serverCallOf(item: JsonObject): ServerCall | undefined {
  const type = textAt(item, "type");
  if (type?.endsWith("_call") !== true || isUnanswerable(item)) return undefined;
  const name = textAt(item, "name") ?? type.slice(0, -"_call".length);
  return { name, input: inputOf(item) };
}

/** Each kind has its own field for the input. */
function inputOf(item: JsonObject): JsonValue {
  const { action, arguments: args, queries, code, prompt } = item;
  if (action !== undefined) return action;
  if (typeof args === "string") return parsed(args);
  if (isObject(args)) return args;
  if (queries !== undefined) return { queries };
  if (code !== undefined) return { code };
  return prompt === undefined ? {} : { prompt };
}

function parsed(text: string): JsonValue {
  try {
    // JSON.parse returns nothing but JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    // For display only: the item itself is sent back unchanged.
    return { arguments: text };
  }
}
