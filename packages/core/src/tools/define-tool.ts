/** Defines a tool. */
import type {
  InputOf,
  InputSchema,
  JsonValue,
  Reconciliation,
  SentInputOf,
  ToolEffect,
  ToolYield,
  WholeSchema,
} from "@capstan/kernel";
import type { AppSchema } from "./app-schema.ts";
import { isAppSchema } from "./app-schema.ts";
import { compileInput } from "./compile-input.ts";
import { toScoped } from "./scoped-function.ts";
import type { AnyTool, RemoteTool, Tool, ToolExecution } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";
import type { TurnContext } from "./turn-context.ts";
import { noContext } from "./turn-context.ts";
import { ToolError } from "../errors/tool-error.ts";
import { problemOfNames } from "../platform/option-names.ts";

/**
 * Definition of a tool: what the model is told, the schema of its input, the function, and how its effects are
 * treated after a crash.
 */
export interface ToolDefinition<
  Schema extends InputSchema,
  App = unknown,
  SentApp = unknown,
  Name extends string = string,
  Result extends ToolExecution = ToolExecution,
> {
  /** 1 to 64 letters, digits, `_` and `-`, which every vendor accepts. */
  readonly name: Name;
  readonly description: string;
  /** The model sees its JSON Schema; the model's input is validated with it before anything runs. */
  readonly input: Schema & WholeSchema<Schema>;
  /** Absent for a client-side tool: a client runs it and posts the answer. */
  execute?(input: InputOf<Schema>, context: ToolContext<App>): Result | Yields;
  /**
   * Schema of the application context that the tool needs, as `context.app`. It validates the value as the caller of the agent gave it; the
   * agent must have an `appContext`, too.
   */
  readonly appContext?: AppSchema<SentApp, App>;
  /** Label for user interfaces. */
  readonly label?: string;
  /** Whether a call that had started may run again after a crash. Default `at-most-once`: it must not. */
  readonly effect?: ToolEffect;
  /** Called after a crash for a call of an `at-most-once` tool that had started. */
  reconcile?(key: string, context: ToolContext<App>): Reconciliation | Promise<Reconciliation>;
  /** `sequential` makes it a barrier: it runs alone. */
  readonly execution?: "parallel" | "sequential";
  /** Time limit of one execution. */
  readonly timeoutMs?: number;
  /** Time limit for the answer to a client-side call or an approval. */
  readonly answerWithinMs?: number;
  /** Suspends the call until it is approved. A function gets the validated input as the model sent it, and who is asking. */
  readonly needsApproval?:
    | boolean
    | ((input: SentInputOf<Schema>, context: TurnContext<App>) => boolean | Promise<boolean>);
  /** Number of outputs of this tool that stay in the context: the most recent ones. */
  readonly ephemeral?: number;
  /** A successful call ends the turn, if every call of its batch does. */
  readonly terminate?: boolean;
  /** Client that lends the tool to a session, if any: pending calls name it. */
  readonly lentBy?: string;
}

/** The tool of a definition: remote if that has no `execute`, for which nothing is inferred. */
export type DefinedTool<
  Name extends string,
  Schema extends InputSchema,
  SentApp,
  Result extends ToolExecution,
> = [Result, NoExecute] extends [NoExecute, Result]
  ? RemoteTool<DefinedTypes<Name, Schema, SentApp, undefined>>
  : Tool<DefinedTypes<Name, Schema, SentApp, Result>>;

/** See `ToolTypes`. */
export interface DefinedTypes<
  Name extends string,
  Schema extends InputSchema,
  SentApp,
  Result extends ToolExecution,
> {
  readonly name: Name;
  readonly sent: SentInputOf<Schema>;
  readonly input: InputOf<Schema>;
  readonly accepts: (app: SentApp) => void;
  readonly result: Result;
}

/** Lets the compiler know what generators yield before it infers their type. */
interface Yields extends AsyncIterable<ToolYield> {}

/** Only a type: the result of a definition without `execute`. */
export interface NoExecute {
  readonly "~noExecute": true;
}

/**
 * Throws a `ToolError` if the definition cannot work. The JSON Schema of a library's schema is made once, when `inputSchema` is first read;
 * that throws a `ToolError` if the conversion fails.
 */
export function defineTool<
  const Name extends string,
  Schema extends InputSchema,
  App = unknown,
  SentApp = unknown,
  Result extends ToolExecution = NoExecute,
>(
  definition: ToolDefinition<Schema, App, SentApp, Name, Result>,
): DefinedTool<Name, Schema, SentApp, Result> {
  // Its functions are called with the values that its schemas give, so their types can be forgotten. It has `execute` if its definition has.
  const untyped = definition as unknown as ToolDefinition<Schema>;
  return toTool(untyped) as DefinedTool<Name, Schema, SentApp, Result>;
}

/** `defineTool` for definitions whose types are stated by the caller. */
export function toTool<Schema extends InputSchema>(definition: ToolDefinition<Schema>): AnyTool {
  requireUsable(definition);
  const { input, execute, reconcile, needsApproval, terminate, appContext, ...plain } = definition;
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
      needsApproval: typeof needsApproval === "function" ? toRule(needsApproval) : needsApproval,
    }),
    ...(appContext !== undefined && { appContext }),
    ...(terminate !== undefined && { isTerminal: terminate }),
  };
}

type Rule<Sent> = (sent: Sent, context: TurnContext) => boolean | Promise<boolean>;

function toRule<Sent>(
  rule: Rule<Sent>,
): (sent: JsonValue, context?: TurnContext) => boolean | Promise<boolean> {
  // Called with validated input only.
  return (sent, context = noContext) => rule(sent as Sent, context);
}

const usableName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Every option. A new one that is missing here does not compile. */
const names: Readonly<Record<keyof ToolDefinition<InputSchema>, true>> = {
  name: true,
  description: true,
  input: true,
  execute: true,
  appContext: true,
  label: true,
  effect: true,
  reconcile: true,
  execution: true,
  timeoutMs: true,
  answerWithinMs: true,
  needsApproval: true,
  ephemeral: true,
  terminate: true,
  lentBy: true,
};

function requireUsable(definition: Omit<ToolDefinition<InputSchema>, "needsApproval">): void {
  // Callers in JavaScript may pass anything.
  const given: unknown = definition;
  if (typeof given !== "object" || given === null) {
    throw new ToolError("invalid_definition", "", "its definition must be an object");
  }
  const { name, description, timeoutMs, answerWithinMs, ephemeral, execute } = definition;
  const { appContext } = definition;
  const refuse = (problem: string): never => {
    throw new ToolError("invalid_definition", name, problem);
  };
  const unknown = problemOfNames(definition, names);
  if (unknown !== undefined) refuse(`it has an ${unknown}`);
  if (execute !== undefined && typeof execute !== "function") refuse("execute must be a function");
  if (appContext !== undefined && !isAppSchema(appContext)) {
    refuse("appContext must be a Standard Schema, such as one of zod");
  }
  if (typeof name !== "string" || !usableName.test(name)) {
    refuse("its name must be 1 to 64 letters, digits, _ or -");
  }
  if (typeof description !== "string" || description.trim() === "") {
    refuse("it needs a description that tells the model what it does");
  }
  for (const [option, value] of Object.entries({ timeoutMs, answerWithinMs })) {
    if (value !== undefined && !(value > 0)) refuse(`${option} must be above 0, not ${value}`);
  }
  if (ephemeral !== undefined && !(Number.isInteger(ephemeral) && ephemeral > 0)) {
    refuse(`ephemeral must be a whole number above 0, not ${ephemeral}`);
  }
}
