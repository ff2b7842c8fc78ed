/** Converts a JSON schema to the form the vendor can enforce. */
import type { JsonSchema } from "@capstan/kernel";

type Schema = Record<string, unknown>;

/** Kept unchanged. Other rules are described to the model in words, and checked by the caller. */
const kept: ReadonlySet<string> = new Set(["type", "title", "enum", "const", "required", "$ref"]);
/** Irrelevant for writing an answer. */
const dropped: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "default",
  "examples",
  "additionalProperties",
]);

const formats: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Returns undefined for a schema the vendor cannot enforce: one with arbitrary keys, or a recursive one. */
export function toOutputSchema(schema: JsonSchema): JsonSchema | undefined {
  try {
    const text = JSON.stringify(schema);
    if (isOpen(schema) || isRecursive(schema)) return undefined;
    // Through its text, because a schema may contain values that are not JSON.
    return close(JSON.parse(text) as Schema);
  } catch {
    // Not JSON. The caller checks the answer all the same.
    return undefined;
  }
}

function close(schema: Schema): Schema {
  const closed: Schema = {};
  const told: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (kept.has(key)) closed[key] = value;
    else if (key === "properties" || key === "$defs" || key === "definitions") {
      closed[key] = closeEach(value);
    } else if (key === "items") closed[key] = isSchema(value) ? close(value) : value;
    else if (key === "anyOf" || key === "oneOf") closed["anyOf"] = closeAll(value);
    else if (key === "allOf") closed[key] = closeAll(value);
    else if (key === "format" && formats.has(value)) closed[key] = value;
    else if (key === "minItems" && (value === 0 || value === 1)) closed[key] = value;
    else if (key !== "description" && !dropped.has(key)) told[key] = value;
  }
  if (isObjectSchema(schema)) closed["additionalProperties"] = false;
  const { description } = schema;
  const words = [...(typeof description === "string" ? [description] : []), ...tell(told)];
  if (words.length > 0) closed["description"] = words.join("\n");
  return closed;
}

function closeEach(value: unknown): unknown {
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSchema(inner) ? close(inner) : inner]),
  );
}

function closeAll(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map((inner: unknown) => (isSchema(inner) ? close(inner) : inner))
    : value;
}

function tell(told: Schema): string[] {
  const rules = Object.entries(told).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return rules.length === 0 ? [] : [`(${rules.join(", ")})`];
}

function isObjectSchema({ type, properties }: Schema): boolean {
  return (
    type === "object" ||
    (Array.isArray(type) && type.includes("object")) ||
    properties !== undefined
  );
}

/** Whether objects may have keys that the schema does not list. */
function isOpen(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOpen);
  if (!isSchema(value)) return false;
  const { additionalProperties, patternProperties, properties, type } = value;
  const hasNone = type === "object" && properties === undefined;
  const isMap = isSchema(additionalProperties) || additionalProperties === true;
  if (patternProperties !== undefined || isMap || hasNone) return true;
  return Object.values(value).some(isOpen);
}

/** Whether a definition refers to itself. */
function isRecursive(schema: Schema): boolean {
  const definitions = { ...asSchema(schema["definitions"]), ...asSchema(schema["$defs"]) };
  const leadsBack = (name: string, path: readonly string[]): boolean =>
    path.includes(name) ||
    refsIn(definitions[name]).some((next) => leadsBack(next, [...path, name]));
  return (
    refsIn(schema).some((ref) => ref === "#") ||
    Object.keys(definitions).some((name) => leadsBack(name, []))
  );
}

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isSchema(value)) return [];
  const { $ref } = value;
  const own = typeof $ref === "string" ? [$ref.replace(/^#\/(\$defs|definitions)\//, "")] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): Schema {
  return isSchema(value) ? value : {};
}
