/** Compiles the input schema of a tool: the JSON Schema for the model, and the validation of its input. */
import type {
  InputIssue,
  InputSchema,
  JsonSchema,
  JsonValue,
  ParsedInput,
  StandardProps,
  StandardSchema,
} from "@capstan/kernel";
import { background, isPromise, serializeError, toPromise, toText } from "@capstan/kernel";
import { closeSchemaOf } from "./closed-schema.ts";
import { compileJsonSchema } from "./json-schema/compile-json-schema.ts";
import { SchemaProblem } from "./json-schema/schema-problem.ts";
import { ToolError } from "../errors/tool-error.ts";

export interface CompiledInput {
  /** Converted on the first call and cached. Throws a `ToolError` if the schema has no JSON Schema. */
  toJsonSchema(): JsonSchema;
  /** Never throws: a schema that throws counts as a failed check, and the model gets the reason. */
  parse(input: JsonValue): ParsedInput | Promise<ParsedInput>;
}

/** Throws a `ToolError` for a schema that can never work. The JSON Schema of a library's schema is made later, when it is read. */
export function compileInput(toolName: string, schema: InputSchema): CompiledInput {
  // Callers in JavaScript may pass anything.
  const given: unknown = schema;
  if (given === null || (typeof given !== "object" && typeof given !== "function")) {
    const problem = "its input must be a schema: a Standard Schema such as zod's, or a JSON Schema";
    throw new ToolError("invalid_schema", toolName, problem);
  }
  if (isZod3(given)) throw new ToolError("invalid_schema", toolName, oldZod);
  return isStandard(schema) ? fromStandard(toolName, schema) : fromJsonSchema(toolName, schema);
}

/** Schemas of some libraries are functions, so check the property only. */
function isStandard(schema: InputSchema): schema is StandardSchema {
  return schema["~standard"] !== undefined;
}

function fromStandard(toolName: string, schema: StandardSchema): CompiledInput {
  const standard = schema["~standard"];
  requireConverter(toolName, standard);
  let shown: JsonSchema | undefined;
  return {
    toJsonSchema: () => (shown ??= toShown(toolName, convert(toolName, standard))),
    parse(input) {
      try {
        const result = standard.validate(input);
        return isPromise(result)
          ? toPromise(result).then(toParsed).catch(uncheckable)
          : toParsed(result);
      } catch (thrown) {
        return uncheckable(thrown);
      }
    },
  };
}

function requireConverter(toolName: string, standard: Partial<StandardProps>): void {
  if (typeof standard.jsonSchema?.input === "function") return;
  const converter =
    converters[standard.vendor ?? ""] ?? "the library's Standard JSON Schema converter";
  const problem = `its input schema (${standard.vendor}) provides no JSON Schema for the model. Pass it through ${converter}, or pass a JSON Schema`;
  throw new ToolError("invalid_schema", toolName, problem);
}

const converters: Readonly<Record<string, string>> = {
  valibot: "toStandardJsonSchema of @valibot/to-json-schema",
};

const oldZod = "its input is a schema of zod 3, which has no JSON Schema: use zod 4";

/** Schemas of zod 4 have `_zod`; those before 3.24 are no Standard Schema either. */
function isZod3(schema: object): boolean {
  return "_def" in schema && "parse" in schema && !("_zod" in schema);
}

function convert(toolName: string, standard: StandardProps): JsonSchema {
  try {
    const schema = mustBeSchema(standard.jsonSchema.input({ target: "draft-2020-12" }));
    return closeSchemaOf(standard.vendor, schema);
  } catch (cause) {
    const problem = `its input schema (${standard.vendor}) cannot be converted to JSON Schema: ${serializeError(cause).message}. Use only features that JSON Schema has, or pass a JSON Schema`;
    throw new ToolError("invalid_schema", toolName, problem, { cause });
  }
}

/** Returns a copy that is JSON: providers send it, and the log stores its hash. */
function mustBeSchema(given: JsonSchema): JsonSchema {
  if (isPromise(given)) {
    background(toPromise(given), () => {});
    throw new TypeError("it is a promise");
  }
  const copy: unknown = JSON.parse(JSON.stringify(given) ?? "null");
  if (typeof copy === "object" && copy !== null) return copy as JsonSchema;
  throw new TypeError(`it is a value of type ${typeof given}`);
}

function fromJsonSchema(toolName: string, schema: JsonSchema): CompiledInput {
  const shown = toShown(toolName, schema);
  const findIssues = compile(toolName, schema);
  return {
    toJsonSchema: () => shown,
    parse(input) {
      try {
        const issues = findIssues(input);
        return issues.length === 0 ? { value: input } : { issues };
      } catch (thrown) {
        return uncheckable(thrown);
      }
    },
  };
}

function compile(toolName: string, schema: JsonSchema): ReturnType<typeof compileJsonSchema> {
  try {
    return compileJsonSchema(schema);
  } catch (cause) {
    if (!(cause instanceof SchemaProblem)) throw cause;
    const problem = `invalid input schema, ${cause.message}`;
    throw new ToolError("invalid_schema", toolName, problem, { cause });
  }
}

/** Every vendor requires an object at the top level. The draft is dropped, because it is the same for all tools. */
function toShown(toolName: string, schema: JsonSchema): JsonSchema {
  const { $schema: _, ...shown } = schema;
  if (shown["type"] === "object") return shown;
  const found =
    shown["type"] === undefined ? "has no type" : `is of type ${JSON.stringify(shown["type"])}`;
  const problem = `its input schema ${found} at the top level, but models send an object. Use type: "object", with the value or the union as a property`;
  throw new ToolError("invalid_schema", toolName, problem);
}

/** Returns a copy whose fields were read once. Throws for an invalid result: untyped code may return anything. */
function toParsed(result: ParsedInput): ParsedInput {
  const { issues, value } = result as { readonly issues?: unknown; readonly value?: unknown };
  if (issues === undefined) return { value };
  if (!Array.isArray(issues)) throw new TypeError("its schema returned issues that are not a list");
  return { issues: issues.map(toIssue) };
}

function toIssue(issue: InputIssue): InputIssue {
  const { message, path } = issue;
  return { message: toText(message), ...(Array.isArray(path) && { path: path.map(toStep) }) };
}

function toStep(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === "object" ? step.key : step);
}

function uncheckable(thrown: unknown): ParsedInput {
  return {
    issues: [{ message: `the input cannot be checked: ${serializeError(thrown).message}` }],
  };
}
