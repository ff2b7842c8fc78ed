/** Items of tools that the vendor ran by itself, and of those that it wants somebody else to run. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

/** Calls that wait for a result of a kind of its own, which no tool of ours gives. */
const clientCalls: ReadonlySet<string> = new Set([
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
  "mcp_approval_request",
]);

/** An item that cannot go back: the vendor would ask for its result. */
export function isUnanswerable(item: JsonObject): boolean {
  const type = textAt(item, "type") ?? "";
  const isClients = type === "tool_search_call" && item["execution"] === "client";
  return isClients || clientCalls.has(type);
}

export interface ServerCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** What was called, for people to see; undefined for an item that is no call, or not the vendor's to run. */
export function serverCallOf(item: JsonObject): ServerCall | undefined {
  const type = textAt(item, "type");
  if (type?.endsWith("_call") !== true || isUnanswerable(item)) return undefined;
  const name = textAt(item, "name") ?? type.slice(0, -"_call".length);
  return { name, input: inputOf(item) };
}

/** Each kind has another word for it. */
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
    // JSON.parse gives nothing but JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    // For people to see only: the item itself goes back as it came.
    return { arguments: text };
  }
}
