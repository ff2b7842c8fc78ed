/** A typed answer: the text of the last reply, parsed as JSON and validated. */
import type { AssistantMessage, JsonValue, OutputFormat, StandardSchema } from "@capstan/kernel";
import { describeIssues } from "./schema-issues.ts";
import { closeSchemaOf } from "../tools/closed-schema.ts";

/** A validated answer: its value, or the problem with it, for the model. */
export type CheckedOutput<Output> =
  | { readonly value: Output; readonly problem?: undefined }
  | { readonly problem: string };

const formats = new WeakMap<StandardSchema, OutputFormat>();

/** Format for vendors that can enforce it; undefined if the schema cannot be converted. Made once per schema. */
export function outputFormatOf(schema: StandardSchema): OutputFormat | undefined {
  let format = formats.get(schema);
  if (format === undefined) {
    try {
      // The model writes the input of the schema.
      const { vendor, jsonSchema } = schema["~standard"];
      const { $schema: _, ...shown } = jsonSchema.input({ target: "draft-2020-12" });
      format = { name: "answer", schema: closeSchemaOf(vendor, shown) };
    } catch {
      // The answer is validated anyway.
      return undefined;
    }
    formats.set(schema, format);
  }
  return format;
}

export async function checkOutput<Output>(
  schema: StandardSchema<unknown, Output>,
  message: AssistantMessage,
): Promise<CheckedOutput<Output>> {
  const parsed = parse(textOf(message));
  if (parsed === undefined) return { problem: `The answer is not JSON. ${repair(schema)}` };
  const result = await schema["~standard"].validate(parsed.json);
  if (result.issues === undefined) return { value: result.value };
  const issues = describeIssues(result.issues);
  return { problem: `The answer does not match its schema: ${issues}. ${repair(schema)}` };
}

/** Includes the schema, because the vendor may not have shown all of it to the model. */
function repair(schema: StandardSchema): string {
  const shown = outputFormatOf(schema)?.schema;
  const told =
    shown === undefined ? "" : `  It must match this JSON Schema: ${JSON.stringify(shown)}`;
  return `Answer again, with the JSON value only.${told}`;
}

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Models like to put JSON into a code fence. */
function parse(text: string): { readonly json: JsonValue } | undefined {
  const fenced = /^\s*```(?:json)?\s*\n(.*)\n```\s*$/s.exec(text)?.[1] ?? text;
  try {
    // JSON.parse returns only JSON.
    return { json: JSON.parse(fenced) as JsonValue };
  } catch {
    // Not JSON. The caller reports it to the model.
    return undefined;
  }
}
