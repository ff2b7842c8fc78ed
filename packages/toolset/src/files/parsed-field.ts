/** Input schemas that also take a field as JSON text, as some models send it. Models are told the original schema. */
import type { StandardSchema } from "@capstan/kernel";

export function withParsed<Schema extends StandardSchema>(schema: Schema, field: string): Schema {
  const standard = schema["~standard"];
  const lenient: StandardSchema = {
    "~standard": {
      ...standard,
      validate: (value) => standard.validate(parsed(value, field)),
    },
  };
  // It takes text in addition, and returns the same values.
  return lenient as Schema;
}

function parsed(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = (value as Readonly<Record<string, unknown>>)[field];
  if (typeof text !== "string") return value;
  try {
    return { ...value, [field]: JSON.parse(text) as unknown };
  } catch {
    // The schema says what is wrong with the text.
    return value;
  }
}
