/** Whether the vendor can hold its model to a schema: in strict mode every object is closed and all of its properties are required. */
import type { JsonSchema } from "@capstan/kernel";

/** Words that strict mode does not know. */
const refused: ReadonlySet<string> = new Set([
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contains",
  "prefixItems",
  "minProperties",
  "maxProperties",
  "uniqueItems",
  "default",
]);

export function isStrict(schema: JsonSchema): boolean {
  return schema["type"] === "object" && isStrictPart(schema);
}

function isStrictPart(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isStrictPart);
  if (typeof value !== "object" || value === null) return true;
  const schema = value as JsonSchema;
  if (Object.keys(schema).some((key) => refused.has(key))) return false;
  if (schema["type"] === "object" && !isClosed(schema)) return false;
  return Object.entries(schema).every(([key, inner]) =>
    key === "properties" || key === "$defs" || key === "definitions"
      ? Object.values((inner ?? {}) as JsonSchema).every(isStrictPart)
      : key === "enum" || key === "const" || key === "examples" || isStrictPart(inner),
  );
}

function isClosed({ properties, required, additionalProperties }: JsonSchema): boolean {
  const names = Object.keys(properties ?? {});
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return additionalProperties === false && names.every(isRequired);
}
