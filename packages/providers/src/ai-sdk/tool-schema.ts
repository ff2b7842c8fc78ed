/** Schemas of tools, in the forms that the AI SDK takes and has. */
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
 * The schema of a tool of ours. The AI SDK forbids further properties in every object of a Standard Schema; what is marked as a schema of its own
 * it takes as it is. A check gives back what the model sent, so that this is what is asked about, approved and written down.
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

/** What `execute` of a tool of ours gets for what the model sent, or what is wrong with it. */
export async function parseWith(tool: ToolContract, sent: unknown): Promise<ParsedInput> {
  // It comes from JSON.
  return (await tool.parseInput?.(sent as JsonValue)) ?? { value: sent };
}

export function describe({ message, path = [] }: InputIssue): string {
  const place = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}

/** What is used of the schema of a tool of theirs. */
export interface ReadSchema {
  readonly jsonSchema: JsonSchema;
  parse(sent: unknown): Promise<ParsedInput>;
}

/** Throws a `ProviderError` for a schema that a model cannot be shown. */
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
    `The tool "${toolName}" has an input schema without a JSON Schema at hand: give one of zod 4 that JSON Schema can say, of a library with Standard JSON Schema, or jsonSchema({ … }) of the AI SDK with the schema itself in place of a promise of it`,
  );
}

/** Undefined for one that has no such form. */
function convert({ jsonSchema }: Fields): unknown {
  const input = isFields(jsonSchema) ? jsonSchema["input"] : undefined;
  try {
    return typeof input === "function" ? input({ target: "draft-2020-12" }) : undefined;
  } catch {
    // It says what JSON Schema cannot say. Which tool it is about is said by whoever asked.
    return undefined;
  }
}

function standardCheck({ validate }: Fields): ReadSchema["parse"] {
  if (typeof validate !== "function") return take;
  // What Standard Schema says that it gives.
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

/** The schema's own, where the error holds them. */
function issuesOf(error: unknown): readonly InputIssue[] {
  const cause = isFields(error) ? error["cause"] : undefined;
  const found = isFields(cause) ? cause["issues"] : cause;
  const issues = Array.isArray(found) ? found.filter(isIssue) : [];
  return issues.length > 0 ? issues : [{ message: serializeError(error).message }];
}

function isIssue(value: unknown): value is InputIssue {
  return isFields(value) && textIn(value, "message") !== undefined;
}
