/** A schema from outside, reduced to what may be checked here. */
import type { JsonSchema, JsonValue } from "@capstan/kernel";
import { isList, isObject } from "./canonical-json.ts";
import type { SchemaObject } from "./keywords.ts";

/** Keywords whose values are schemas by name. */
const named = ["properties", "$defs", "definitions", "dependentSchemas"];
/** Keywords whose values are data, whatever they look like. */
const data = ["enum", "const", "default", "examples"];

/**
 * Returns the schema without regular expressions: one can be made to run forever, and the client or server that runs the
 * tool validates its input again. Names that only a pattern would have allowed are allowed.
 */
export function withoutPatterns(schema: JsonSchema): JsonSchema {
  // The log stores JSON.
  return strip(schema as SchemaObject) as JsonSchema;
}

function strip(schema: JsonValue): JsonValue {
  if (isList(schema)) return schema.map(strip);
  if (!isObject(schema)) return schema;
  const { pattern: _, patternProperties, additionalProperties, ...plain } = schema;
  const kept = Object.entries(plain).map(([keyword, value]) => [keyword, stripIn(keyword, value)]);
  const others =
    patternProperties === undefined && additionalProperties !== undefined
      ? { additionalProperties: strip(additionalProperties) }
      : {};
  return { ...Object.fromEntries(kept), ...others };
}

function stripIn(keyword: string, value: JsonValue): JsonValue {
  if (data.includes(keyword)) return value;
  if (!named.includes(keyword) || !isObject(value)) return strip(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, strip(inner)]));
}
