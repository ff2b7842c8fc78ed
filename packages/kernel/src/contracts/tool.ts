/** Contract of a tool. A tool without `execute` is remote: a client runs it and posts the answer. */
import type {
  ChatMessage,
  JsonValue,
  KeptOutput,
  ToolContent,
  ToolContentPart,
  Usage,
} from "./conversation.ts";
import type { Logger } from "./logging.ts";
import type { Resumption } from "./progress.ts";
import type { Suspension } from "../calls/suspend.ts";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Description of a tool that the model gets. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/**
 * Consequence of running a call again that had started before a crash. `pure`: nothing, it leaves no trace. `idempotent`: nothing, the key
 * identifies the second run. `at-most-once` (the default): it must not run again.
 */
export type ToolEffect = "pure" | "idempotent" | "at-most-once";

/** Shape of a Standard Schema result, so that `schema["~standard"].validate` fits. */
export type ParsedInput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly InputIssue[] };

/** One reason why an input was refused, with the path to the value. */
export interface InputIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Envelope for a tool that returns more than a text. The model sees only `outputMessage`. */
export interface ToolOutput<Details = unknown> {
  readonly ok: boolean;
  readonly outputMessage: string;
  readonly details?: Details;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Result of one call. Every path of the loop ends in one of these. */
export interface ToolResult {
  readonly isError: boolean;
  readonly output: ToolContent;
  /** True if the call was denied: its approval was refused. The tool did not run, so it did not fail either. */
  readonly isDenied?: boolean;
  /** For user interfaces; the model never sees it. */
  readonly details?: JsonValue;
  readonly meta?: JsonValue;
  /** The complete output, if `output` is truncated. Only `boundResult` sets it. */
  readonly kept?: KeptOutput;
  /** The turn ends after this batch if all its results have this set. */
  readonly isTerminal?: boolean;
}

/** Deltas append to the output that a reader has seen; `complete` is the result for the model. */
export type ToolExecutionEvent =
  | { readonly type: "delta"; readonly delta: string }
  | {
      readonly type: "complete";
      readonly output: string | readonly ToolContentPart[];
      readonly details?: unknown;
      readonly isError?: boolean;
    };

/** Values that a streaming tool yields. A string is a delta. */
export type ToolYield = string | ToolExecutionEvent;

/** An object that the model gets as JSON. A `ToolOutput` with a wrong or missing field is none: it would show its details to the model. */
type JsonObject = (object | { readonly [field: string]: unknown }) & {
  readonly outputMessage?: never;
  // Promises and streams are objects too; their contents are checked instead.
  readonly then?: never;
  readonly [Symbol.asyncIterator]?: never;
  // Maps, sets and functions would be empty.
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.hasInstance]?: never;
} & ({ readonly ok?: never } | { readonly details?: never; readonly meta?: never });

/** A string, parts, a `ToolOutput`, a suspension, or any other value, which the model gets as JSON. */
export type ToolReturn =
  | string
  | readonly ToolContentPart[]
  | ToolOutput
  | Suspension
  | readonly unknown[]
  | JsonObject
  | number
  | boolean
  | null
  | undefined
  | void;

/** Context of one call: ids, signal, idempotency key, progress and usage. */
export interface ToolExecuteContext {
  readonly toolCallId: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  /** Fires when the turn is aborted and on the tool's timeout. */
  readonly signal: AbortSignal;
  /** Working directory of the turn, as the caller gave it. It never reaches the prompt. */
  readonly cwd: string | undefined;
  /** Identical for every run of this call, also after a crash. */
  readonly idempotencyKey: string;
  readonly logger: Logger | undefined;
  /**
   * The conversation so far, with the results of this step that are known; models may be shown less. A new list each time it is read.
   * Undefined if the tool runs outside the turn, as at a client.
   */
  readonly messages?: readonly ChatMessage[] | undefined;
  /** Set if an earlier run of this call suspended it: the state that it kept, and the answers since. */
  readonly resumed?: Resumption | undefined;
  /**
   * Calls another tool of the turn: its input is validated, hooks and approvals apply, and the result is recorded. A tool that fails or is
   * refused is an error result. Calls that were recorded in an earlier run of this call are not repeated: they are told by their order and input.
   *
   * A call that would have to wait, for an approval or for a client, suspends the calling tool, if that is `pure` or `idempotent`: this rejects with
   * `suspended`, and the tool runs again once there is an answer. Otherwise it rejects with `cannot_wait_here`. Undefined if the tool runs
   * outside the turn, as at a client.
   */
  call?(toolName: string, input: unknown): Promise<ToolResult>;
  /** Shows progress to readers. Ignored once the call has settled. */
  update(delta: string): void;
  /** Counts tokens that the tool spent on its own model calls, and their cost, if known. */
  usage(child: Usage, cost?: number): void;
}

/** Finding of `reconcile` about a call that had started: its result, that it never took effect, or that the outcome is unknown. */
export type Reconciliation =
  | { readonly outcome: "done"; readonly output: ToolReturn }
  | { readonly outcome: "not-run" }
  | { readonly outcome: "unknown" };

/** Call that another call is forwarded to. */
export interface ForwardedCall {
  readonly tool: ToolContract;
  readonly input: JsonValue;
}

/** A tool as the loop runs it. Without `execute` it is a remote tool, and its calls wait for an answer. */
export interface ToolContract extends ToolDeclaration {
  readonly label?: string;
  /**
   * Makes a call of this tool a call of another one, which need not be declared to the model: from here on, hooks, approvals, events and the
   * journal have that tool's name and input, and its effect decides after a crash. Only the transcript has the call as the model made it. Must
   * depend on the input alone, as it is asked again after a crash. If it returns undefined or throws, this tool runs itself.
   */
  forward?(input: JsonValue): ForwardedCall | undefined;
  /** Validates and converts the arguments before anything runs. Without it any JSON is accepted. */
  parseInput?(input: JsonValue): ParsedInput | Promise<ParsedInput>;
  execute?(
    // The return value of `parseInput`; without it, the arguments as in the message, which must not be changed.
    input: never,
    context: ToolExecuteContext,
  ): ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolYield>;
  /** `sequential` makes the call a barrier: it runs alone. */
  readonly execution?: "parallel" | "sequential";
  readonly effect?: ToolEffect;
  /** Called after a crash about a call that had started. */
  reconcile?(key: string, context: ToolExecuteContext): Reconciliation | Promise<Reconciliation>;
  /** Suspends the call until it is approved. */
  readonly needsApproval?: boolean | ((input: JsonValue) => boolean | Promise<boolean>);
  /** Limit for one execution, counted on the injected timer. */
  readonly timeoutMs?: number;
  /** How long a remote call or an approval may stay unanswered. */
  readonly answerWithinMs?: number;
  /** A successful call of this tool ends the turn, if every call of its batch does. */
  readonly isTerminal?: boolean;
  /** Name of the client that lent the tool. Its pending calls carry it. */
  readonly lentBy?: string;
}
