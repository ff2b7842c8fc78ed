/** What the kernel asks of a tool. A tool without `execute` is remote: somebody else runs it and answers. */
import type { JsonValue, KeptOutput, ToolContent, ToolContentPart, Usage } from "./conversation.ts";
import type { Logger } from "./logging.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the model is told of a tool. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/**
 * What may happen if a call that had started runs again after a crash. `pure`: nothing, it leaves no trace.
 * `idempotent`: nothing, the key tells the second run from a new one. `at-most-once` (the default): it must not.
 */
export type ToolEffect = "pure" | "idempotent" | "at-most-once";

/** The shape of a Standard Schema result, so that `schema["~standard"].validate` fits. */
export type ParsedInput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly InputIssue[] };

export interface InputIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The envelope of a tool that wants to say more than a text. The model sees `outputMessage` only. */
export interface ToolOutput<Details = unknown> {
  readonly ok: boolean;
  readonly outputMessage: string;
  readonly details?: Details;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** How one call ended. Every path of the loop ends in one of these. */
export interface ToolResult {
  readonly isError: boolean;
  readonly output: ToolContent;
  /** For user interfaces; the model never sees it. */
  readonly details?: JsonValue;
  readonly meta?: JsonValue;
  /** Where the whole is, if `output` is not. Only `boundResult` sets it. */
  readonly kept?: KeptOutput;
  /** The turn ends after this batch if every result of it says so. */
  readonly isTerminal?: boolean;
}

/** Deltas append to what a reader has seen; `complete` is what the model gets. */
export type ToolExecutionEvent =
  | { readonly type: "delta"; readonly delta: string }
  | {
      readonly type: "complete";
      readonly output: string | readonly ToolContentPart[];
      readonly details?: unknown;
      readonly isError?: boolean;
    };

/** A string, parts, a `ToolOutput`, or any other value, which is given to the model as JSON. */
export type ToolReturn =
  | string
  | readonly ToolContentPart[]
  | ToolOutput
  | object
  | number
  | boolean
  | null
  | undefined
  | void;

export interface ToolExecuteContext {
  readonly toolCallId: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  /** Fires on abort of the turn and on the tool's timeout. */
  readonly signal: AbortSignal;
  /** The working directory of the turn, as the caller gave it. It never reaches the prompt. */
  readonly cwd: string | undefined;
  /** The same for every run of this call, also after a crash. */
  readonly idempotencyKey: string;
  readonly logger: Logger | undefined;
  /** Shows progress to readers. Ignored once the call has settled. */
  update(delta: string): void;
  /** Counts tokens that the tool spent on models of its own, and what they cost, where that is known. */
  usage(child: Usage, cost?: number): void;
}

/** What `reconcile` found out about a call that had started: its result, that it never took effect, or nothing. */
export type Reconciliation =
  | { readonly outcome: "done"; readonly output: ToolReturn }
  | { readonly outcome: "not-run" }
  | { readonly outcome: "unknown" };

export interface ToolContract extends ToolDeclaration {
  readonly label?: string;
  /** Checks and converts the arguments before anything runs. Without it any JSON is taken. */
  parseInput?(input: JsonValue): ParsedInput | Promise<ParsedInput>;
  execute?(
    // What `parseInput` returned; without it, the arguments as they stand in the message, which must not be changed.
    input: never,
    context: ToolExecuteContext,
  ): ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolExecutionEvent>;
  /** `sequential` makes it a barrier: it runs alone. */
  readonly execution?: "parallel" | "sequential";
  readonly effect?: ToolEffect;
  /** Asked after a crash about a call that had started. */
  reconcile?(key: string, context: ToolExecuteContext): Reconciliation | Promise<Reconciliation>;
  /** Suspends the call until somebody approves it. */
  readonly needsApproval?: boolean | ((input: JsonValue) => boolean | Promise<boolean>);
  /** Limit for one execution, counted on the injected timer. */
  readonly timeoutMs?: number;
  /** How long a remote call or an approval may stay unanswered. */
  readonly answerWithinMs?: number;
  /** A successful call of this tool ends the turn, if every call of its batch does. */
  readonly isTerminal?: boolean;
  /** Who lent it. Their pending calls name them. */
  readonly lentBy?: string;
}
