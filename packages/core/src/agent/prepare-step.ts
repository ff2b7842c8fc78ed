/** Lets an agent change each step: its model, tools and sampling, and messages that are appended before it. */
import type {
  ChatMessage,
  JsonValue,
  StepChanges,
  StepStart,
  ToolContract,
  Usage,
} from "@capstan/kernel";
import type { MaybePromise, StoredTurnOverrides } from "@capstan/log";
import { andThen, newId } from "@capstan/log";
import type { TurnInput } from "../input/input.ts";
import { toMessages } from "../input/input.ts";
import { toStoredOverrides } from "../input/stored-overrides.ts";
import { AgentError } from "../errors/agent-error.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import type { TurnOverrides } from "./agent-init.ts";

/** A step that is about to ask a model. */
export interface StepToPrepare<App = unknown> extends TurnContext<App> {
  /** Number of the step, from 1 on. A turn that continues another counts on. */
  readonly step: number;
  /** Messages that the model would be shown, before `transformContext`. */
  readonly messages: readonly ChatMessage[];
  /** Usage of the turn, and of those that it continues. */
  readonly usage: Usage;
  /** Name of the turn's model. */
  readonly model: string;
  /** Instructions of the turn. */
  readonly instructions: string | undefined;
  /** Names of the turn's tools. */
  readonly tools: readonly string[];
}

/** Settings of one step. Those that are left out are as for the whole turn. */
export interface StepSettings<ToolName extends string = string> extends TurnOverrides<ToolName> {
  /** Names of the tools that the model may call in this step. Default: all of the turn. */
  readonly activeTools?: readonly ToolName[];
  /** Appended to the conversation for good, before this step. A closing step appends nothing. */
  readonly append?: TurnInput;
}

/** Callback that runs before each step and returns the settings that differ for it. */
export type PrepareStep<App = unknown, ToolName extends string = string> = (
  step: StepToPrepare<App>,
) => Prepared<ToolName> | Promise<Prepared<ToolName>>;

type Prepared<ToolName extends string> = StepSettings<ToolName> | undefined | void;

/** Choice as the log stores it. */
type StoredChoice = StoredTurnOverrides & { readonly activeTools?: readonly string[] };

/** Values of the turn whose steps are prepared. */
export interface PreparedTurn {
  readonly model: string;
  readonly instructions: string | undefined;
  readonly tools: readonly ToolContract[];
  context(): TurnContext;
  /** Resolves the model and the options of a step; undefined if they are those of the turn. */
  resolve(overrides: TurnOverrides): MaybePromise<StepTarget | undefined>;
}

/** Provider and options of a step. */
export type StepTarget = Required<Pick<StepChanges, "provider" | "options" | "model">>;

/** Returns the kernel's form of the agent's function. */
export function bindPrepareStep(
  prepare: PrepareStep,
  turn: PreparedTurn,
): (start: StepStart) => Promise<StepChanges> {
  return async ({ step, messages, usage, recorded }) => {
    if (recorded !== undefined) return restored(recorded, turn);
    const { model, instructions, tools } = turn;
    const names = tools.map(({ name }) => name);
    const asked = await prepare({
      ...turn.context(),
      step,
      messages,
      usage,
      model,
      instructions,
      tools: names,
    });
    const { append, activeTools, ...overrides } = asked ?? {};
    checkNames(activeTools, names);
    const choice = {
      ...toStoredOverrides(overrides),
      ...(activeTools !== undefined && { activeTools: [...activeTools] }),
    };
    return {
      ...(await changesOf(overrides, activeTools, turn)),
      // Made of JSON only.
      choice: choice as JsonValue,
      ...(append !== undefined && { messages: toMessages(append, newId()) }),
    };
  };
}

/** Changes of a step that was prepared in another process: the log has its choice. */
function restored(recorded: JsonValue, turn: PreparedTurn): MaybePromise<StepChanges> {
  // As it was recorded above; null if the step was not changed.
  const { activeTools, ...overrides } = (recorded ?? {}) as StoredChoice;
  return changesOf(overrides, activeTools, turn);
}

function changesOf(
  overrides: TurnOverrides,
  activeTools: readonly string[] | undefined,
  turn: PreparedTurn,
): MaybePromise<StepChanges> {
  const tools = activeTools && turn.tools.filter(({ name }) => activeTools.includes(name));
  return andThen(turn.resolve(overrides), (target) => ({ ...target, ...(tools && { tools }) }));
}

function checkNames(active: readonly string[] | undefined, names: readonly string[]): void {
  const unknown = active?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new AgentError(
    "invalid_option",
    `prepareStep activates the tool "${unknown}", which the turn does not have. Its tools: ${names.join(", ")}`,
  );
}
