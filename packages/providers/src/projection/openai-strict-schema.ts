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
  "minLength",
  "maxLength",
  "uniqueItems",
  "contentEncoding",
  "contentMediaType",
  "default",
]);
/** All that strict mode knows. Others are refused, with the whole request. */
const formats: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);
/** One of these says what a value is: strict mode has no value of any kind. */
const kinds = ["type", "anyOf", "$ref", "enum", "const"] as const;
/** Levels of objects, lists and unions. */
const maxDepth = 10;

export function isStrict(schema: JsonSchema): boolean {
  return schema["type"] === "object" && schema["anyOf"] === undefined && isStrictPart(schema, 0);
}

/** The schema in strict mode's words; undefined if it cannot be said in them. What is lost of it is checked by the caller. */
export function toStrictSchema(schema: JsonSchema): JsonSchema | undefined {
  const said = withoutOneOf(schema) as JsonSchema;
  return isStrict(said) ? said : undefined;
}

function isStrictPart(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const schema = value as JsonSchema;
  if (depth > maxDepth || !kinds.some((kind) => schema[kind] !== undefined)) return false;
  if (Object.keys(schema).some((key) => refused.has(key))) return false;
  if (isObjectSchema(schema) && !isClosed(schema)) return false;
  const { format, pattern, items, properties, anyOf, $defs, definitions } = schema;
  if (format !== undefined && !formats.has(format)) return false;
  // Neither look-ahead nor look-behind is known.
  if (typeof pattern === "string" && /\(\?[=!<]/.test(pattern)) return false;
  const inner = [...listOf(items), ...valuesOf(properties), ...(listOf(anyOf) as unknown[])];
  return (
    inner.every((one) => isStrictPart(one, depth + 1)) &&
    [...valuesOf($defs), ...valuesOf(definitions)].every((one) => isStrictPart(one, 1))
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function isObjectSchema({ type, properties }: JsonSchema): boolean {
  return (
    type === "object" ||
    (Array.isArray(type) && type.includes("object")) ||
    properties !== undefined
  );
}

function isClosed({ properties, required, additionalProperties }: JsonSchema): boolean {
  const names = Object.keys(properties ?? {});
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return additionalProperties === false && names.every(isRequired);
}

/** `anyOf` is known, `oneOf` is not. That exactly one alternative fits is left to the author of the schema. */
function withoutOneOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOneOf);
  if (typeof value !== "object" || value === null) return value;
  const { oneOf } = value as JsonSchema;
  const isChoice = Array.isArray(oneOf) && !Object.hasOwn(value, "anyOf");
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isData = key === "enum" || key === "const" || key === "examples" || key === "default";
      const name = key === "oneOf" && isChoice ? "anyOf" : key;
      return [name, isData ? inner : withoutOneOf(inner)];
    }),
  );
}
