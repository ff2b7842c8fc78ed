/** Wraps the answer's schema for vendors that require an object at the top level. */
import type { JsonSchema, OutputFormat } from "@capstan/kernel";
import { toStrictSchema } from "./openai-strict-schema.ts";

/** Name of the only property of a wrapped answer. */
export const wrapperKey = "answer";

export interface OutputPlan {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly strict: boolean;
  /** Whether the reply must be unwrapped. */
  readonly isWrapped: boolean;
}

/** Keywords that are not allowed at the top level. */
const choices = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"] as const;

export function planOutput({ name, schema }: OutputFormat): OutputPlan {
  const isWrapped = needsWrapper(schema);
  const object = toObjectSchema(schema);
  const strict = toStrictSchema(object);
  return { name, schema: strict ?? object, strict: strict !== undefined, isWrapped };
}

export function needsWrapper(schema: JsonSchema): boolean {
  return schema["type"] !== "object" || choices.some((key) => schema[key] !== undefined);
}

/** Returns the schema itself, or that of an object that contains the answer. */
export function toObjectSchema(schema: JsonSchema): JsonSchema {
  return needsWrapper(schema) ? wrap(schema) : schema;
}

function wrap(schema: JsonSchema): JsonSchema {
  const { $defs, definitions, ...inner } = schema;
  const isSelf = refersToTop(inner) || refersToTop($defs) || refersToTop(definitions);
  const self = { [wrapperKey]: inner };
  return {
    type: "object",
    properties: { [wrapperKey]: isSelf ? { $ref: `#/$defs/${wrapperKey}` } : inner },
    required: [wrapperKey],
    additionalProperties: false,
    ...(definitions !== undefined && { definitions: moveReferences(definitions) }),
    ...(isSelf
      ? // The schema is recursive: it moves to a definition that references can name.
        { $defs: moveReferences({ ...($defs as object), ...self }) }
      : $defs !== undefined && { $defs }),
  };
}

function refersToTop(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { $ref } = value as JsonSchema;
  return $ref === "#" || Object.values(value).some(refersToTop);
}

function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === "$ref" && inner === "#"
        ? [key, `#/$defs/${wrapperKey}`]
        : [key, moveReferences(inner)],
    ),
  );
}
