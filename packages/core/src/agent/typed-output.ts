/** A typed answer: the text of the last reply, read as JSON and checked. */
import type { AssistantMessage, JsonValue } from "@capstan/kernel";
import type { StandardIssue, StandardSchema } from "../tools/standard-schema.ts";

/** What came of an answer: its value, or what is wrong with it, for the model. */
export type CheckedOutput<Output> =
  | { readonly value: Output; readonly problem?: undefined }
  | { readonly problem: string };

export async function checkOutput<Output>(
  schema: StandardSchema<unknown, Output>,
  message: AssistantMessage,
): Promise<CheckedOutput<Output>> {
  const parsed = parse(textOf(message));
  if (parsed === undefined) {
    return { problem: "The answer is not JSON. Answer again, with the JSON value only." };
  }
  const result = await schema["~standard"].validate(parsed.json);
  if (result.issues === undefined) return { value: result.value };
  const issues = result.issues.map(describe).join("; ");
  return {
    problem: `The answer does not fit its schema: ${issues}. Answer again, with the JSON value only.`,
  };
}

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Models like to put JSON into a fence. */
function parse(text: string): { readonly json: JsonValue } | undefined {
  const fenced = /^\s*```(?:json)?\s*\n(.*)\n```\s*$/s.exec(text)?.[1] ?? text;
  try {
    // JSON.parse gives nothing but JSON.
    return { json: JSON.parse(fenced) as JsonValue };
  } catch {
    return undefined;
  }
}

function describe({ message, path = [] }: StandardIssue): string {
  const keys = path.map((key) => String(typeof key === "object" ? key.key : key));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}
