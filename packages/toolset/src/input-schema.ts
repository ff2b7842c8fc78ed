/** Checks tool input against the few words of JSON Schema that the tools here use. */
import type { InputIssue, JsonSchema, JsonValue, ParsedInput } from "@capstan/kernel";

/** An object of strings and whole numbers. What has no `default` is required; nothing else may be there. */
export interface InputSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

type FieldSchema =
  | {
      readonly type: "string";
      readonly description: string;
      readonly minLength: number;
      readonly maxLength: number;
      readonly default?: string;
    }
  | {
      readonly type: "integer";
      readonly description: string;
      readonly minimum: number;
      readonly maximum?: number;
      readonly default?: number;
    };

/** Every fault at once, so that a model can mend them in one go; defaults filled in where there is none. */
export function parseInput(schema: InputSchema, input: JsonValue): ParsedInput {
  if (!isObject(input)) {
    return { issues: [{ message: `The input must be an object, not ${describe(input)}.` }] };
  }
  const names = Object.keys(schema.properties);
  const unknown = Object.keys(input).filter((name) => !names.includes(name));
  const issues: InputIssue[] = unknown.map((name) => ({
    message: `There is no field ${JSON.stringify(name)}; the fields are ${names.join(", ")}.`,
    path: [name],
  }));
  const value: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(input, name) ? input[name] : field.default;
    const message = complaintAbout(name, field, given);
    if (message !== undefined) issues.push({ message, path: [name] });
    else if (given !== undefined) value[name] = given;
  }
  return issues.length > 0 ? { issues } : { value };
}

function complaintAbout(
  name: string,
  field: FieldSchema,
  given: JsonValue | undefined,
): string | undefined {
  if (given === undefined) return `${name} is missing.`;
  if (field.type === "string") {
    if (typeof given !== "string") return `${name} must be a string, not ${describe(given)}.`;
    const { minLength, maxLength } = field;
    if (given.length >= minLength && given.length <= maxLength) return undefined;
    return `${name} must have ${minLength} to ${maxLength} characters, not ${given.length}.`;
  }
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = field;
  if (typeof given === "number" && Number.isSafeInteger(given)) {
    if (given >= minimum && given <= maximum) return undefined;
  }
  const range =
    field.maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  return `${name} must be a whole number ${range}, not ${describe(given)}.`;
}

function isObject(input: JsonValue): input is { readonly [key: string]: JsonValue } {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

function describe(value: JsonValue): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value);
  return text.length > 40 ? `a ${typeof value} of ${text.length} characters` : text;
}
