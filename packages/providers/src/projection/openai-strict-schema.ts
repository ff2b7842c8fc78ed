/** Checks whether a schema can be enforced in strict mode, which requires every object to be closed and to require all of its properties. */
import type { JsonSchema } from "@capstan/kernel";

/** Keywords that strict mode does not support. */
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
/** All formats that strict mode supports. It rejects the whole request for any other. */
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
/** At least one of these must state the type: strict mode does not support untyped values. */
const kinds = ["type", "anyOf", "$ref", "enum", "const"] as const;
/** Maximum nesting of objects, lists and unions. */
const maxDepth = 10;

export function isStrict(schema: JsonSchema): boolean {
  return schema["type"] === "object" && schema["anyOf"] === undefined && isStrictPart(schema, 0);
}

/** Rewrites the schema for strict mode; returns undefined if that is impossible. The caller checks what the rewritten schema no longer enforces. */
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
  // Lookaround assertions are not supported.
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

/** Strict mode supports `anyOf` but not `oneOf`. That exactly one alternative matches is left to the author of the schema. */
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
