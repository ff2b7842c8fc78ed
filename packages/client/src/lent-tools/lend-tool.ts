/** Client-side tools: declared to the server, run here. */
import type {
  InputOf,
  InputSchema,
  JsonSchema,
  JsonValue,
  StandardSchema,
  ToolContract,
  ToolEffect,
  ToolExecuteContext,
  ToolReturn,
  ToolYield,
} from "@capstan/kernel";
import type { LentToolDeclaration, SessionIds } from "@capstan/log";
import { invalidOptions } from "../stream/connection.ts";

/** Context of a call that this client runs. */
export interface LentToolContext extends Omit<ToolExecuteContext, "conversationId">, SessionIds {}

/** Definition of a client-side tool: what the model is told, and the function that runs here. */
export interface LentToolDefinition<Schema extends InputSchema> {
  /** 1 to 64 letters, digits, `_` and `-`. Must differ from the names of the agent's tools. */
  readonly name: string;
  readonly description: string;
  /** The model sees its JSON Schema. A Standard Schema also validates the input, in the client. */
  readonly input: Schema;
  /** Its return value or error is the answer. The signal fires when the answer is no longer needed. */
  execute(
    input: InputOf<Schema>,
    context: LentToolContext,
  ): ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolYield>;
  readonly label?: string;
  readonly needsApproval?: boolean;
  /** Time limit for the answer to a call. */
  readonly answerWithinMs?: number;
  /** Whether a call may run again if the tab that ran it is gone. Default `at-most-once`: it must not. */
  readonly effect?: ToolEffect;
}

/** Throws `invalid_options` if the schema cannot be expressed as JSON Schema. */
export function lendTool<Schema extends InputSchema>(
  definition: LentToolDefinition<Schema>,
): ToolContract {
  const { input, execute, ...plain } = definition;
  const { "~standard": standard } = input;
  const inputSchema = standard === undefined ? input : toJsonSchema(plain.name, standard);
  return {
    ...plain,
    // A Standard Schema was converted to one; any other schema is one.
    inputSchema: inputSchema as JsonSchema,
    ...(standard !== undefined && { parseInput: (sent: JsonValue) => standard.validate(sent) }),
    execute: (sent: InputOf<Schema>, context: ToolExecuteContext) =>
      execute(sent, toLentContext(context)),
  };
}

function toLentContext(call: ToolExecuteContext): LentToolContext {
  const { conversationId: sessionId, toolCallId, turnId, step, signal, cwd, logger } = call;
  return {
    sessionId,
    turnId,
    toolCallId,
    step,
    signal,
    cwd,
    logger,
    idempotencyKey: call.idempotencyKey,
    update: (delta) => call.update(delta),
    usage: (child, cost) => call.usage(child, cost),
  };
}

function toJsonSchema(name: string, standard: StandardSchema["~standard"]): JsonSchema {
  try {
    const { $schema: _, ...shown } = standard.jsonSchema.input({ target: "draft-2020-12" });
    return shown;
  } catch (cause) {
    const message = `Tool "${name}": the input schema (${standard.vendor}) cannot be expressed as JSON Schema`;
    throw invalidOptions(message, cause);
  }
}

/** Declaration for the server, without code. Throws `invalid_options` for a tool that cannot run. */
export function toDeclaration(tool: ToolContract): LentToolDeclaration {
  const { name, description, inputSchema, label, needsApproval, answerWithinMs } = tool;
  if (tool.execute === undefined) {
    throw invalidOptions(`Tool "${name}" has no execute`);
  }
  if (typeof needsApproval === "function") {
    throw invalidOptions(
      `Tool "${name}": needsApproval must be a boolean, as the server cannot call a function`,
    );
  }
  // JSON leaves out the fields that are undefined.
  const declaration = { name, description, inputSchema, label, needsApproval, answerWithinMs };
  return declaration as LentToolDeclaration;
}
