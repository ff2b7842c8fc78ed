/** A JSON schema in the form that the vendor can hold its model to. */
import type { JsonSchema } from "@capstan/kernel";

type Schema = Record<string, unknown>;

/** Taken as they are. What else a schema says is told to the model in words, and checked by whoever asked. */
const kept: ReadonlySet<string> = new Set(["type", "title", "enum", "const", "required", "$ref"]);
/** Of no use to anybody who writes an answer. */
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

/** Undefined for a schema that cannot be put so: one with keys of any name, or one that contains itself. */
export function toOutputSchema(schema: JsonSchema): JsonSchema | undefined {
  try {
    const text = JSON.stringify(schema);
    if (isOpen(schema) || isRecursive(schema)) return undefined;
    // Through its text, as a schema may hold what is no JSON.
    return close(JSON.parse(text) as Schema);
  } catch {
    // No JSON. The answer is checked all the same.
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

/** Whether there are keys that no list names. */
function isOpen(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOpen);
  if (!isSchema(value)) return false;
  const { additionalProperties, patternProperties, properties, type } = value;
  const hasNone = type === "object" && properties === undefined;
  const isMap = isSchema(additionalProperties) || additionalProperties === true;
  if (patternProperties !== undefined || isMap || hasNone) return true;
  return Object.values(value).some(isOpen);
}

/** Whether a definition leads back to itself. */
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
