/** Tools that a client lends to its sessions, and runs. */
import type {
  JsonSchema,
  JsonValue,
  ToolContract,
  ToolEffect,
  ToolExecuteContext,
  ToolExecutionEvent,
  ToolReturn,
} from "@capstan/kernel";
import { invalidOptions } from "../stream/connection.ts";

/** The parts of Standard Schema and Standard JSON Schema (https://standardschema.dev) that a tool needs. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type Checked<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** A schema of any library that speaks both, or a JSON Schema as it is. */
export type InputSchema = StandardSchema | (JsonSchema & { readonly "~standard"?: never });

/** What `execute` gets. */
export type InputOf<Schema extends InputSchema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : { readonly [key: string]: JsonValue };

export interface LentToolDefinition<Schema extends InputSchema> {
  /** 1 to 64 letters, digits, `_` and `-`. The agent has no tool of this name. */
  readonly name: string;
  readonly description: string;
  /** The model sees its JSON Schema. A schema of a library also checks what comes, here. */
  readonly input: Schema;
  /** Whatever it returns or throws is the answer. The signal fires when nobody waits for it any more. */
  execute(
    input: InputOf<Schema>,
    context: ToolExecuteContext,
  ): ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolExecutionEvent>;
  readonly label?: string;
  readonly needsApproval?: boolean;
  /** How long a call may stay unanswered. */
  readonly answerWithinMs?: number;
  /** What may happen if a call runs again, where the tab that ran it is gone. Default `at-most-once`: it must not. */
  readonly effect?: ToolEffect;
}

/** Throws `invalid_options` where the schema has no form that a model can be shown. */
export function lendTool<Schema extends InputSchema>(
  definition: LentToolDefinition<Schema>,
): ToolContract {
  const { input, execute, ...plain } = definition;
  const { "~standard": standard } = input;
  const inputSchema = standard === undefined ? input : toJsonSchema(plain.name, standard);
  return {
    ...plain,
    // A Standard Schema was turned into one; whatever else it is, is one.
    inputSchema: inputSchema as JsonSchema,
    ...(standard !== undefined && { parseInput: (sent: JsonValue) => standard.validate(sent) }),
    execute,
  };
}

function toJsonSchema(name: string, standard: StandardSchema["~standard"]): JsonSchema {
  try {
    const { $schema: _, ...shown } = standard.jsonSchema.input({ target: "draft-2020-12" });
    return shown;
  } catch (cause) {
    const message = `The input schema of the tool "${name}" (of ${standard.vendor}) has no JSON Schema: use what JSON Schema can say, or give one`;
    throw invalidOptions(message, cause);
  }
}

/** As a server takes it: no code. Throws `invalid_options` for a tool that nobody could run. */
export function toDeclaration(tool: ToolContract): object {
  const { name, description, inputSchema, label, needsApproval, answerWithinMs } = tool;
  if (tool.execute === undefined) {
    throw invalidOptions(`The tool "${name}" cannot be lent without an execute`);
  }
  if (typeof needsApproval === "function") {
    throw invalidOptions(
      `The tool "${name}" has a function for needsApproval, which the server cannot call: pass true or false`,
    );
  }
  return { name, description, inputSchema, label, needsApproval, answerWithinMs };
}
