/** The JSON Schema of a zod schema with its objects closed, as models see it. */
import type { JsonSchema } from "@capstan/kernel";

/** Keywords that hold a schema, or a list of schemas. */
const inner: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "additionalProperties",
  "anyOf",
  "oneOf",
]);
/** Keywords that hold schemas by name. */
const named: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

/**
 * Adds `additionalProperties: false` to objects that do not mention further properties. A zod object drops those, so the model has no use
 * for them; vendors enforce only closed objects. Objects of other libraries may keep further properties and stay unchanged.
 */
export function closeSchemaOf(vendor: string, schema: JsonSchema): JsonSchema {
  // A closed definition would refuse the properties of its siblings in an intersection.
  const hasSharedParts = vendor === "zod" && isIntersecting(schema);
  return vendor === "zod" && !hasSharedParts ? close(schema) : schema;
}

function close(schema: JsonSchema): JsonSchema {
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closeKeyword(key, value)]),
  );
  const isOpen = schema["type"] === "object" && schema["additionalProperties"] === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

function closeKeyword(key: string, value: unknown): unknown {
  if (inner.has(key)) return Array.isArray(value) ? value.map(closeValue) : closeValue(value);
  if (!named.has(key) || !isSchema(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closeValue(one)]));
}

function closeValue(value: unknown): unknown {
  return isSchema(value) ? close(value) : value;
}

/** Whether an `allOf` contains objects; one with only string rules needs no closing. */
function isIntersecting(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isIntersecting);
  if (!isSchema(value)) return false;
  const { allOf } = value;
  const hasObjects = Array.isArray(allOf) && /"(properties|\$ref)":/.test(JSON.stringify(allOf));
  return hasObjects || Object.values(value).some(isIntersecting);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
