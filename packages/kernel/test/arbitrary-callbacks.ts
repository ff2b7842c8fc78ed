/** The callbacks of a turn, in order or broken at any of their calls. */
import { toModelMessages } from "@capstan/kernel";
import type {
  BeforeDecision,
  ChatMessage,
  JsonValue,
  LoopContext,
  LoopGuards,
  LoopJournal,
  LoopLimits,
  OpenCall,
  ParsedInput,
  PendingCall,
  Reconciliation,
  Rejection,
  RunTurnInput,
  SerializedError,
  StepChanges,
  StepStart,
} from "@capstan/kernel";
import type { ToolCallbacks } from "./arbitrary-tools.ts";

export const callbackNames = [
  "prepareStep",
  "guardInput",
  "guardOutput",
  "transformContext",
  "convertToLlm",
  "stopWhen",
  "drainSteering",
  "checkLimits",
  "onOverflow",
  "onStepComplete",
  "hasSteering",
  "answers",
  "emit",
  "before",
  "after",
  "parseInput",
  "needsApproval",
  "reconcile",
] as const;

type CallbackName = (typeof callbackNames)[number];
export type Fault = "throws" | "rejects" | "hangs";

interface Breakage {
  readonly callback: CallbackName;
  readonly fault: Fault;
  /** Which of its calls goes wrong; the others are fine. */
  readonly at: number;
}

/** Return values of the callbacks when they are not broken. */
export interface CallbackScript {
  /** Which of the callbacks the turn gets at all. */
  readonly callbacks: readonly CallbackName[];
  readonly areAsync: boolean;
  readonly broken: Breakage | undefined;
  /** User messages that wait at the first tool-result boundaries. */
  readonly steering: readonly number[];
  /** Outcomes of pending calls, and decisions of the `before` hook, in turn. */
  readonly answers: readonly ("approved" | "denied" | "settled" | "none")[];
  readonly decisions: readonly ("run" | "block" | "ask" | "alter")[];
  /** Verdicts of the output guard, and whether it is incremental. */
  readonly verdicts: readonly ("pass" | "reject" | "retry")[];
  readonly isIncremental: boolean;
}

export function goWrong(fault: Fault): unknown {
  if (fault === "throws") throw new Error("broken");
  return fault === "rejects" ? Promise.reject(new Error("broken")) : new Promise(() => {});
}

type Named<Options> = Partial<Pick<Options, Extract<CallbackName, keyof Options>>>;
type Callbacks = Named<RunTurnInput> &
  Named<LoopLimits> &
  Named<LoopContext> &
  Named<LoopJournal> &
  Pick<RunTurnInput["dispatch"], "before" | "after"> &
  ToolCallbacks & {
    readonly guardInput?: LoopGuards["input"];
    readonly guardOutput?: LoopGuards["output"];
  };

/** `waiting` has the calls that wait for an answer; who answers takes them out. */
export function callbacksOf(given: CallbackScript, waiting: PendingCall[]): Callbacks {
  const healthy = healthyCallbacks(given, waiting);
  const counts = new Map<CallbackName, number>();
  const wrapped = [...given.callbacks, ...(given.broken ? [given.broken.callback] : [])].map(
    (name) => {
      const call = (...args: never[]): unknown => {
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        if (given.broken?.callback === name && given.broken.at === count) {
          return goWrong(given.broken.fault);
        }
        const value = healthy[name](...args);
        return given.areAsync && mayBeAsync.has(name) ? Promise.resolve(value) : value;
      };
      return [name, call] as const;
    },
  );
  // Each has the type that its name asks for, except that a broken one may return anything, as in JavaScript.
  return Object.fromEntries(wrapped);
}

const mayBeAsync: ReadonlySet<CallbackName> = new Set([
  "prepareStep",
  "guardInput",
  "guardOutput",
  "transformContext",
  "convertToLlm",
  "stopWhen",
  "checkLimits",
  "onOverflow",
  "onStepComplete",
  "before",
  "after",
  "parseInput",
  "needsApproval",
  "reconcile",
]);

function healthyCallbacks(
  given: CallbackScript,
  waiting: PendingCall[],
): Record<CallbackName, (...args: never[]) => unknown> {
  const steering = given.steering.map((count, at) => messagesFor(at, count));
  const answers = [...given.answers];
  const decisions = [...given.decisions];
  const findings: Reconciliation[] = [{ outcome: "done", output: "found" }, { outcome: "not-run" }];
  const verdicts = [...given.verdicts];
  return {
    prepareStep: ({ step }: StepStart): StepChanges => ({
      choice: { step },
      messages: step % 2 === 0 ? [{ role: "user", id: `note-${step}`, content: "Note" }] : [],
    }),
    guardInput: nothing,
    guardOutput: () => rejectionOf(verdicts.shift() ?? "pass"),
    transformContext: (messages: readonly ChatMessage[]) => messages,
    convertToLlm: toModelMessages,
    stopWhen: () => false,
    drainSteering: () => steering.shift() ?? [],
    hasSteering: () => (steering[0] ?? []).length > 0,
    checkLimits: nothing,
    onOverflow: (error: SerializedError) =>
      error.code === "context_overflow" ? messagesFor(9, 1) : undefined,
    onStepComplete: nothing,
    answers: () => waiting.splice(0).flatMap((call) => answerTo(call, answers.shift() ?? "none")),
    emit: nothing,
    before: () => decisionOf(decisions.shift() ?? "run"),
    after: nothing,
    parseInput: (input: JsonValue): ParsedInput =>
      JSON.stringify(input) === '{"n":2}' ? { issues: [{ message: "no two" }] } : { value: input },
    needsApproval: (input: JsonValue) => JSON.stringify(input) === '{"n":1}',
    reconcile: () => findings.shift() ?? { outcome: "unknown" },
  };
}

function nothing(): void {}

function rejectionOf(verdict: CallbackScript["verdicts"][number]): Rejection | undefined {
  if (verdict === "pass") return undefined;
  return { reason: "no", ...(verdict === "retry" && { retry: "Again" }) };
}

function answerTo(
  { toolCallId, kind, input }: PendingCall,
  answer: CallbackScript["answers"][number],
): OpenCall[] {
  if (answer === "none") return [];
  if (answer === "denied") return [{ toolCallId, state: "denied", reason: "no" }];
  if (answer === "approved" && kind === "approval")
    return [{ toolCallId, state: "approved", input }];
  return [{ toolCallId, state: "settled", result: { isError: false, output: "answered" } }];
}

function decisionOf(action: CallbackScript["decisions"][number]): BeforeDecision {
  if (action === "block") return { action, reason: "Not run: blocked" };
  return action === "alter" ? { action, input: { n: 7 } } : { action };
}

function messagesFor(boundary: number, count: number): ChatMessage[] {
  return Array.from({ length: count }, (_, at) => {
    return { role: "user", id: `steer-${boundary}-${at}`, content: "Only indoors" };
  });
}
