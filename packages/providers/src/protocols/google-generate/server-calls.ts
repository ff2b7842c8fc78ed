/** Parts of tools that the vendor ran itself. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

export interface ServerCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** Name and input of the call, for display; undefined for a part that is not a call. */
export function serverCallOf(part: JsonObject): ServerCall | undefined {
  const { executableCode: code, toolCall: call } = part;
  if (isObject(code)) return { name: "code_execution", input: code };
  if (!isObject(call)) return undefined;
  return { name: textAt(call, "toolType") ?? "tool", input: call["args"] ?? {} };
}
