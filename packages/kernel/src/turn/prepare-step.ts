/** Lets the caller prepare each step: its model, tools and options, and messages that are appended before it. */
import { wrongValue } from "../effects/callbacks.ts";
import type { ChatMessage, JsonValue } from "../contracts/conversation.ts";
import type { LoopContext, StepChanges, StepStart } from "../contracts/loop.ts";
import type { Fact } from "../contracts/journal.ts";
import type { Draft } from "../effects/draft.ts";
import { toJson } from "../effects/json.ts";
import { areMessages } from "./messages.ts";
import type { TurnState } from "./turn-state.ts";

type PrepareStep = NonNullable<LoopContext["prepareStep"]>;

/** Prepares the next step, before its first request. */
export function prepareStep(turn: TurnState): Promise<void> | undefined {
  const { prepareStep: prepare } = turn.context;
  return prepare === undefined ? undefined : prepareNext(turn, prepare);
}

async function prepareNext(turn: TurnState, prepare: PrepareStep): Promise<void> {
  const step = turn.steps + 1;
  const recorded = recordedFor(turn, step);
  const changes = await ask(turn, prepare, step, recorded);
  turn.prepareStep(changes);
  if (recorded !== undefined) return;
  const fact: Draft<Extract<Fact, { type: "step_prepared" }>> = {
    type: "step_prepared",
    step,
    choice: choiceOf(changes),
  };
  // The closing step reports what was done: what else is said would not be acted on.
  const messages = turn.isClosing ? none : (changes.messages ?? none);
  if (messages.length === 0) return turn.record(fact);
  checkMessages(messages);
  fact.messages = messages;
  turn.record(fact, () => {
    for (const message of messages) turn.transcript.push(message);
  });
  await turn.flush();
  turn.throwIfFailed();
}

/** Prepares the step that a turn is resumed in: its open calls have the tools of that step. */
export function restoreStep(turn: TurnState): Promise<void> | undefined {
  const { prepareStep: prepare } = turn.context;
  if (prepare === undefined) return undefined;
  const recorded = recordedFor(turn, turn.steps);
  if (recorded === undefined) return undefined;
  return ask(turn, prepare, turn.steps, recorded).then((changes) => turn.prepareStep(changes));
}

const none: readonly ChatMessage[] = [];

function recordedFor({ journal }: TurnState, step: number): JsonValue | undefined {
  const prepared = journal.prior?.prepared;
  return prepared?.step === step ? prepared.choice : undefined;
}

async function ask(
  turn: TurnState,
  prepare: PrepareStep,
  step: number,
  recorded: JsonValue | undefined,
): Promise<StepChanges> {
  const start: Draft<StepStart> = {
    ...turn.progress(),
    step,
    messages: turn.transcript.context(),
  };
  if (recorded !== undefined) start.recorded = recorded;
  // Untyped code may return anything.
  const changes: unknown = await turn.callbacks.call("prepareStep", () => prepare(start));
  if (changes === undefined || changes === null) return {};
  if (typeof changes === "object") return changes;
  throw wrongValue("prepareStep", changes, "an object with the changes, or nothing");
}

function choiceOf({ choice = null }: StepChanges): JsonValue {
  const stored = toJson(choice);
  if (stored === undefined) throw wrongValue("prepareStep", choice, "a choice that is JSON");
  return choice;
}

function checkMessages(messages: readonly ChatMessage[]): void {
  if (!areMessages(messages)) throw wrongValue("prepareStep", messages, "a list of messages");
}
