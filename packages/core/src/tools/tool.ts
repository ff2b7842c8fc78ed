/** A tool: the kernel's contract, and the fields that the layers above it read. */
import type {
  JsonValue,
  ToolContract,
  ToolExecuteContext,
  ToolReturn,
  ToolYield,
} from "@capstan/kernel";
import type { AppNeed, AppSchema } from "./app-schema.ts";
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
  readonly appContext?: AppNeed<Known["accepts"]>;
  /** Only a type: no tool has this field. */
  readonly "~types"?: Known;
}

/** A tool that runs here. The kernel accepts it unchanged; `bindTools` adds its dependencies. */
export interface Tool<out Known extends ToolTypes = ToolTypes> extends RemoteTool<Known> {
  execute(input: Known["input"], context: ToolExecuteContext): Known["result"];
}

/** A tool that can work with this application context. */
export interface ToolFor<SentApp> extends AnyTool {
  readonly appContext?: AppNeed<(app: SentApp) => void>;
}
