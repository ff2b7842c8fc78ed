/** A tool: the kernel's contract, and the fields that the layers above it read. */
import type {
  JsonValue,
  ToolContract,
  ToolExecuteContext,
  ToolReturn,
  ToolYield,
} from "@capstan/kernel";
import type { AppSchema } from "./app-schema.ts";
import type { TurnContext } from "./turn-context.ts";

/** Return values of `execute`. */
export type ToolExecution = ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolYield>;

/** A tool with any input, for lists of tools. Every `ToolContract` is one. */
export interface AnyTool extends ToolContract {
  execute?(input: never, context: ToolExecuteContext): ToolExecution;
  /** Suspends the call until it is approved. `bindTools` adds the context; the kernel calls it without one. */
  readonly needsApproval?:
    | boolean
    | ((input: JsonValue, context?: TurnContext) => boolean | Promise<boolean>);
  /** Number of outputs that stay in the context: the most recent ones. Read by the context layer. */
  readonly ephemeral?: number;
  /** Schema of the application context that the tool needs. */
  readonly appContext?: AppSchema;
}

/** Everything that types know of a tool. */
export interface ToolTypes {
  readonly name: string;
  /** Input as the model sends it, before the defaults and transforms of its schema. */
  readonly sent: unknown;
  /** Input of `execute`. */
  readonly input: unknown;
  /** Takes the application contexts that the tool accepts. */
  readonly accepts: (app: never) => void;
  /** Return value of `execute`; undefined for a remote tool. */
  readonly result: ToolExecution;
}

/** A tool without `execute`: a client runs it, or a caller answers its calls. */
export interface RemoteTool<out Known extends ToolTypes = ToolTypes> extends AnyTool {
  readonly name: Known["name"];
  /** Only a type: no tool has this field. */
  readonly "~types"?: Known;
}

/** A tool that runs here. The kernel accepts it unchanged; `bindTools` adds its dependencies. */
export interface Tool<out Known extends ToolTypes = ToolTypes> extends RemoteTool<Known> {
  execute(input: Known["input"], context: ToolExecuteContext): Known["result"];
}

/** The app context that an agent must have because of its tools. */
export type AppForTools<SentApp, Tools extends readonly AnyTool[]> = [Tools[number]] extends [
  { readonly "~types"?: { readonly accepts: (app: infer Needed) => void } },
]
  ? [SentApp] extends [Needed]
    ? unknown
    : { readonly appContext: AppSchema<Needed, unknown> }
  : unknown;
