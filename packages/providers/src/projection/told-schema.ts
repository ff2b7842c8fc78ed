/** Describes the answer's schema to a model whose vendor cannot enforce it. */
import type { JsonSchema } from "@capstan/kernel";

/** For the system prompt. */
export function tellSchema(schema: JsonSchema): string {
  return `Your last message must be a single JSON value that matches this JSON schema, and nothing else: ${JSON.stringify(schema)}`;
}
