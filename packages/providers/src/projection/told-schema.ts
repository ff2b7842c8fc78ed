/** How a model is told of the schema of its answer where its vendor cannot hold it to one. */
import type { JsonSchema } from "@capstan/kernel";

/** For the system prompt. */
export function tellSchema(schema: JsonSchema): string {
  return `Your last message has to be one JSON value that fits this JSON schema, and nothing else: ${JSON.stringify(schema)}`;
}
