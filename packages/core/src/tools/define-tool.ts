/** The way to write a tool. */
import type {
  InputOf,
  InputSchema,
  JsonValue,
  Reconciliation,
  SentInputOf,
  ToolEffect,
} from "@capstan/kernel";
import { compileInput } from "./compile-input.ts";
import { toScoped } from "./scoped-function.ts";
import type { Tool, ToolExecution } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";
import { ToolError } from "../errors/tool-error.ts";

export interface ToolDefinition<Schema extends InputSchema> {
  /** 1 to 64 letters, digits, `_` and `-`: what every vendor takes. */
  readonly name: string;
  readonly description: string;
  /** The model sees its JSON Schema; what the model sends is checked by it before anything runs. */
  readonly input: Schema;
  /** Without it the tool is remote: somebody else runs it and posts the answer. */
  execute?(input: InputOf<Schema>, context: ToolContext): ToolExecution;
  /** For people. */
  readonly label?: string;
  /** What may happen if a call that had started runs again after a crash. Default `at-most-once`: it must not. */
  readonly effect?: ToolEffect;
  /** Asked after a crash about a call of an `at-most-once` tool that had started. */
  reconcile?(key: string, context: ToolContext): Reconciliation | Promise<Reconciliation>;
  /** `sequential` makes it a barrier: it runs alone. */
  readonly execution?: "parallel" | "sequential";
  /** Limit for one execution. */
  readonly timeoutMs?: number;
  /** How long a remote call or an approval may stay unanswered. */
  readonly answerWithinMs?: number;
  /** Suspends the call until somebody approves it. A function is asked with the checked input as the model sent it. */
  readonly needsApproval?: boolean | ((input: SentInputOf<Schema>) => boolean | Promise<boolean>);
  /** Only the last so many outputs of this tool stay in the context. */
  readonly ephemeral?: number;
  /** A successful call ends the turn, if every call of its batch does. */
  readonly terminate?: boolean;
  /** Who lends it to a session, where somebody outside does: pending calls name them. */
  readonly lentBy?: string;
}

/**
 * Throws a `ToolError` if the definition cannot work. What a schema library turns into JSON Schema is made once, when
 * `inputSchema` is first read, which throws a `ToolError` in its turn if there is no such form.
 */
export function defineTool<Schema extends InputSchema>(
  definition: ToolDefinition<Schema>,
): Tool<InputOf<Schema>> {
  requireUsable(definition);
  const { input, execute, reconcile, needsApproval, terminate, ...plain } = definition;
  const compiled = compileInput(definition.name, input);
  return {
    ...plain,
    // Enumerable, so that copies and JSON of a tool have it.
    get inputSchema() {
      return compiled.toJsonSchema();
    },
    parseInput: compiled.parse,
    ...(execute !== undefined && { execute: toScoped(execute) }),
    ...(reconcile !== undefined && { reconcile: toScoped(reconcile) }),
    ...(needsApproval !== undefined && {
      // It is asked about input that the schema has let pass.
      needsApproval: needsApproval as boolean | ((sent: JsonValue) => boolean | Promise<boolean>),
    }),
    ...(terminate !== undefined && { isTerminal: terminate }),
  };
}

const usableName = /^[a-zA-Z0-9_-]{1,64}$/;

function requireUsable(definition: Omit<ToolDefinition<InputSchema>, "needsApproval">): void {
  const { name, description, timeoutMs, answerWithinMs, ephemeral } = definition;
  const refuse = (problem: string): never => {
    throw new ToolError("invalid_definition", name, problem);
  };
  if (typeof name !== "string" || !usableName.test(name)) {
    refuse("its name must be 1 to 64 letters, digits, _ or -");
  }
  if (typeof description !== "string" || description.trim() === "") {
    refuse("it needs a description: say what it does, the model chooses by it");
  }
  for (const [option, value] of Object.entries({ timeoutMs, answerWithinMs })) {
    if (value !== undefined && !(value > 0)) refuse(`${option} must be above 0, not ${value}`);
  }
  if (ephemeral !== undefined && !(Number.isInteger(ephemeral) && ephemeral > 0)) {
    refuse(`ephemeral must be a whole number above 0, not ${ephemeral}`);
  }
}
