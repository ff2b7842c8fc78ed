/** Runs turn after turn for callers without a session: the prompts, steering, and follow-ups. */
import type { ChatMessage, SystemMessage } from "../contracts/conversation.ts";
import type { ToolDispatchPolicy } from "../contracts/dispatch.ts";
import type { LoopContext, LoopJournal } from "../contracts/loop.ts";
import type { RunTurnInput, RunTurnResult } from "../contracts/runtime.ts";
import type { ToolContract } from "../contracts/tool.ts";
import type { Turn, TurnResponse } from "../contracts/turn.ts";
import { TurnError, serializeError } from "../errors/errors.ts";
import type { ShownFact } from "../journal/show-fact.ts";
import { showFact } from "../journal/show-fact.ts";
import { runTurn } from "./run-turn.ts";
import type { TurnWork } from "./turn.ts";
import { startTurn, toTurnResponse } from "./turn.ts";
import { addUsage } from "../effects/usage.ts";
import type { GetApiKey } from "../reply/with-api-key.ts";
import { withApiKey } from "../reply/with-api-key.ts";

/** Conversation so far, with its instructions and tools. It is not changed. */
export interface AgentLoopContext {
  readonly systemPrompt?: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolContract[];
}

/** How many waiting messages are delivered at once. */
export type QueueMode = "one-at-a-time" | "all";

type LoopOwned =
  | "messages"
  | "tools"
  | "input"
  | "emit"
  | "signal"
  | "drainSteering"
  | "dispatch"
  | "journal"
  | "context";
type OwnContext = "transformContext" | "convertToLlm";

/** Options of `agentLoop`: those of `runTurn`, and the queues of steering and follow-up messages. */
export interface AgentLoopConfig
  extends Omit<RunTurnInput, LoopOwned>, Pick<LoopContext, OwnContext> {
  readonly dispatch?: ToolDispatchPolicy;
  readonly context?: Omit<LoopContext, OwnContext>;
  readonly journal?: Omit<LoopJournal, "hasSteering">;
  /** Called before each request, for keys that expire. */
  readonly getApiKey?: GetApiKey;
  /** Returns messages that the user sent while the loop runs; called at the start, after tool results, and when a turn has ended. */
  readonly getSteeringMessages?: () => readonly ChatMessage[];
  /** Returns messages to run when the loop would otherwise end. */
  readonly getFollowUpMessages?: () => readonly ChatMessage[];
  /** Default `one-at-a-time`. */
  readonly steeringMode?: QueueMode;
  /** Default `one-at-a-time`. */
  readonly followUpMode?: QueueMode;
}

/**
 * Runs the prompts and all that follows from them, each as its own turn; `settled` is the last event. After an abort, an error or a
 * suspension, nothing more is taken from the queues.
 */
export function agentLoop(
  prompts: readonly ChatMessage[],
  context: AgentLoopContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
): Turn {
  return startTurn(config.turnId, (turn) => runLoop(prompts, context, config, turn), signal);
}

/** Continues from messages that end in something to answer. Throws a `TurnError` if they do not. */
export function agentLoopContinue(
  context: AgentLoopContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
): Turn {
  const last = context.messages.at(-1);
  if (last === undefined) throw cannotContinue("there are no messages");
  if (last.role === "assistant") {
    throw cannotContinue(`the last message is from the assistant ("${last.id}")`);
  }
  return agentLoop([], context, config, signal);
}

function cannotContinue(why: string): TurnError {
  const message = `Cannot continue: ${why}. Send a message with agentLoop(prompts, …)`;
  return new TurnError("cannot_continue", message);
}

async function runLoop(
  prompts: readonly ChatMessage[],
  context: AgentLoopContext,
  config: AgentLoopConfig,
  { emit, signal }: TurnWork,
): Promise<TurnResponse> {
  const steering = new Inbox(config.getSteeringMessages, config.steeringMode);
  const followUps = new Inbox(config.getFollowUpMessages, config.followUpMode);
  const { dispatch = {}, conversationId, transformContext, convertToLlm } = config;
  const shared = {
    ...config,
    provider: withApiKey(config.provider, config.getApiKey),
    dispatch,
    emit,
    signal,
    tools: context.tools ?? [],
    context: { ...config.context, transformContext, convertToLlm },
    drainSteering: () => steering.take(),
    journal: { ...config.journal, hasSteering: () => steering.hasMessages() },
  };
  let { turnId } = config;
  let total: RunTurnResult | undefined;
  const show = (fact: ShownFact): void => {
    showFact(fact, {
      ids: { conversationId, turnId },
      underWay: undefined,
      reply: undefined,
      emit,
    });
  };
  try {
    const steered = signal.aborted ? [] : steering.take();
    let messages = withSystemPrompt(context);
    let input: readonly ChatMessage[] = [...prompts, ...steered];
    for (let count = 2; ; count++) {
      const result = await runTurn({ ...shared, turnId, messages, input });
      total = joined(total, total === undefined ? steered : input, result);
      if (!isAtRest(result) || signal.aborted) break;
      // Created before the input is taken: if this fails, nothing is lost.
      const nextId = config.clock?.newId?.() ?? `${config.turnId}-${count}`;
      const next = nextInput(steering, followUps);
      if (next.length === 0) break;
      messages = [...messages, ...input, ...result.messages];
      input = next;
      turnId = nextId;
    }
  } catch (thrown) {
    total = failed(total, thrown);
    show({ type: "turn_failed", error: serializeError(thrown) });
  }
  const ids = [...steering.waitingIds(), ...followUps.waitingIds()];
  const reason = total.finishReason;
  if (ids.length > 0) show({ type: "steering_returned", ids, reason });
  emit({ type: "settled", conversationId, turnId });
  return toTurnResponse(total);
}

function withSystemPrompt({ systemPrompt, messages }: AgentLoopContext): readonly ChatMessage[] {
  if (systemPrompt === undefined) return messages;
  const system: SystemMessage = { role: "system", id: "system", content: systemPrompt };
  return [system, ...messages];
}

/** True if the loop may take another input: nothing failed, the turn was not aborted, and no call is pending. */
function isAtRest({ finishReason, pending }: RunTurnResult): boolean {
  return finishReason !== "error" && finishReason !== "aborted" && pending === undefined;
}

function nextInput(steering: Inbox, followUps: Inbox): readonly ChatMessage[] {
  const steered = steering.take();
  return steered.length > 0 ? steered : followUps.take();
}

/** Combined result of all turns so far; `input` is what the caller did not pass in itself. */
function joined(
  total: RunTurnResult | undefined,
  input: readonly ChatMessage[],
  result: RunTurnResult,
): RunTurnResult {
  return {
    ...result,
    messages: [...(total?.messages ?? []), ...input, ...result.messages],
    usage: addUsage(total?.usage ?? {}, result.usage),
  };
}

/** Result after a queue callback of the caller failed: finished work is kept. */
function failed(total: RunTurnResult | undefined, thrown: unknown): RunTurnResult {
  const nothing = { messages: [], usage: {}, progress: { steps: 0, attempts: 0, usage: {} } };
  return { ...(total ?? nothing), finishReason: "error", error: serializeError(thrown) };
}

/** Messages that a callback has handed over and the mode has not delivered yet. */
class Inbox {
  readonly #poll: (() => readonly ChatMessage[]) | undefined;
  readonly #mode: QueueMode;
  #waiting: ChatMessage[] = [];

  constructor(poll: (() => readonly ChatMessage[]) | undefined, mode: QueueMode = "one-at-a-time") {
    this.#poll = poll;
    this.#mode = mode;
  }

  hasMessages(): boolean {
    this.#waiting.push(...(this.#poll?.() ?? []));
    return this.#waiting.length > 0;
  }

  /** Ids of messages that were handed over and not delivered. */
  waitingIds(): readonly string[] {
    return this.#waiting.map((message) => message.id);
  }

  take(): readonly ChatMessage[] {
    if (!this.hasMessages()) return [];
    return this.#waiting.splice(0, this.#mode === "all" ? this.#waiting.length : 1);
  }
}
