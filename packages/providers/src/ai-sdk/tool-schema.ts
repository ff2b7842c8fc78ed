/** Converts tool schemas to and from the AI SDK's forms. */
import type { InputIssue, JsonSchema, JsonValue, ParsedInput, ToolContract } from "@capstan/kernel";
import { ProviderError, serializeError } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { isFields, textIn } from "./fields.ts";

/** A Standard Schema with its JSON Schema. */
export interface AiSdkInputSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Promise<ParsedInput>;
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/**
 * Schema of one of our tools. The AI SDK forbids additional properties in every object of a Standard Schema, but uses a schema marked as its own
 * unchanged. Validation returns the input as the model sent it, so that this is what gets approved and stored.
 */
export function toInputSchema(tool: ToolContract): AiSdkInputSchema {
  const jsonSchema = (): Record<string, unknown> => ({ ...tool.inputSchema });
  const validate = async (sent: unknown): Promise<ParsedInput> => {
    const parsed = await parseWith(tool, sent);
    return parsed.issues === undefined ? { value: sent } : parsed;
  };
  const standard = { version: 1, vendor: "capstan", validate } as const;
  const marked = {
    [Symbol.for("vercel.ai.schema")]: true,
    get jsonSchema() {
      return jsonSchema();
    },
    async validate(sent: unknown) {
      const { issues } = await validate(sent);
      if (issues === undefined) return { success: true, value: sent };
      return { success: false, error: new Error(issues.map(describe).join("; ")) };
    },
    "~standard": { ...standard, jsonSchema: { input: jsonSchema, output: jsonSchema } },
  };
  return marked;
}

/** The input that `execute` of our tool gets for the model's input, or the issues found in it. */
export async function parseWith(tool: ToolContract, sent: unknown): Promise<ParsedInput> {
  // It was parsed from JSON.
  return (await tool.parseInput?.(sent as JsonValue)) ?? { value: sent };
}

export function describe({ message, path = [] }: InputIssue): string {
  const location = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return location === "" ? message : `${location}: ${message}`;
}

/** The parts of an AI SDK tool's schema that are used here. */
export interface ReadSchema {
  readonly jsonSchema: JsonSchema;
  parse(sent: unknown): Promise<ParsedInput>;
}

/** Throws a `ProviderError` for a schema that has no JSON Schema form. */
export function readSchema(toolName: string, schema: unknown): ReadSchema {
  const given: unknown =
    typeof schema === "function" && !("~standard" in schema) ? schema() : schema;
  if (given === undefined || given === null) return { jsonSchema: anything, parse: take };
  const fields = given as Fields;
  const standard = fields["~standard"];
  const isMarked = "jsonSchema" in fields;
  const shown = isMarked
    ? fields["jsonSchema"]
    : isFields(standard)
      ? convert(standard)
      : undefined;
  if (!isFields(shown) || typeof shown["then"] === "function") throw unusable(toolName);
  const { $schema: _, ...jsonSchema } = shown;
  if (!isMarked && isFields(standard)) return { jsonSchema, parse: standardCheck(standard) };
  return { jsonSchema, parse: markedCheck(fields) };
}

const anything: JsonSchema = { type: "object" };

async function take(sent: unknown): Promise<ParsedInput> {
  return { value: sent };
}

function unusable(toolName: string): ProviderError {
  return new ProviderError(
    "invalid_request",
    `The input schema of the tool "${toolName}" has no JSON Schema form: use a zod 4 schema that JSON Schema can express, a library that implements Standard JSON Schema, or jsonSchema({ … }) of the AI SDK with the schema itself instead of a promise`,
  );
}

/** Returns undefined if the schema has no JSON Schema form. */
function convert({ jsonSchema }: Fields): unknown {
  const input = isFields(jsonSchema) ? jsonSchema["input"] : undefined;
  try {
    return typeof input === "function" ? input({ target: "draft-2020-12" }) : undefined;
  } catch {
    // JSON Schema cannot express it. The caller's error names the tool.
    return undefined;
  }
}

function standardCheck({ validate }: Fields): ReadSchema["parse"] {
  if (typeof validate !== "function") return take;
  // The type that Standard Schema guarantees.
  return async (sent) => (await validate(sent)) as ParsedInput;
}

function markedCheck(schema: Fields): ReadSchema["parse"] {
  const { validate } = schema;
  if (typeof validate !== "function") return take;
  return async (sent) => {
    const result: unknown = await validate.call(schema, sent);
    if (!isFields(result) || result["success"] === true) {
      return { value: isFields(result) ? result["value"] : sent };
    }
    return { issues: issuesOf(result["error"]) };
  };
}

/** The schema's own issues, if the error holds them. */
function issuesOf(error: unknown): readonly InputIssue[] {
  const cause = isFields(error) ? error["cause"] : undefined;
  const found = isFields(cause) ? cause["issues"] : cause;
  const issues = Array.isArray(found) ? found.filter(isIssue) : [];
  return issues.length > 0 ? issues : [{ message: serializeError(error).message }];
}

function isIssue(value: unknown): value is InputIssue {
  return isFields(value) && textIn(value, "message") !== undefined;
}
