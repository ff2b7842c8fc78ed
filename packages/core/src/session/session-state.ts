/** State of a session at one moment, as values. */
import type {
  ChatMessage,
  LiveMessage,
  LiveToolOutput,
  PendingCall,
  SerializedError,
  ThinkingLevel,
  Usage,
} from "@capstan/kernel";
import type {
  CacheStability,
  Cursor,
  EventFeed,
  PricedUsage,
  QueuedItem,
  RunningCall,
  SessionFold,
  SessionStatus,
  StoredEntry,
} from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { nameOfChoice } from "../models/model.ts";

/** A call that runs, with what its tool has shown so far, if this process knows of it. */
export interface RunningToolCall extends RunningCall {
  readonly output: string;
}

/** Values that never change: while nothing happens, `session.state` is the same object. */
export interface SessionState {
  readonly status: SessionStatus;
  /** Name of the model that the next turn runs with. */
  readonly model: string;
  /** Undefined: the model's default. */
  readonly thinkingLevel: ThinkingLevel | undefined;
  /** Names of the tools of the next turn. */
  readonly tools: readonly string[];
  /** Instructions that were configured, or else those of the last request; undefined if there are none. */
  readonly instructions: string | undefined;
  readonly messages: readonly ChatMessage[];
  /** Reply that is being streamed, if this process knows of it. */
  readonly streamingMessage: LiveMessage | undefined;
  /** Calls that wait for an answer from outside. */
  readonly pendingToolCalls: readonly PendingCall[];
  /** Calls that run in the process of the turn, or are about to. */
  readonly runningToolCalls: readonly RunningToolCall[];
  readonly queues: {
    readonly steering: readonly QueuedItem[];
    readonly followUp: readonly QueuedItem[];
  };
  readonly usage: Usage;
  readonly totalCost: number | undefined;
  /** Error of the last turn, if it failed. */
  readonly error: SerializedError | undefined;
}

/** A session at one moment, with its log. */
export interface SessionReading {
  readonly entries: readonly StoredEntry[];
  /** Cursor of the last event. */
  readonly cursor: Cursor;
  readonly state: SessionState;
  /** State that no entry holds: the reply that is being streamed, and the tools' progress so far. */
  readonly live: {
    readonly message?: LiveMessage;
    readonly toolOutputs: readonly LiveToolOutput[];
  };
}

/** A session at one moment, with a part of its log. */
export interface SessionReadingPage extends SessionReading {
  /** Messages that these entries added and that still exist. */
  readonly messages: readonly ChatMessage[];
  /** Index of the first of them in the transcript: messages that a reader has from there on no longer exist. */
  readonly firstIndex: number;
  /** Seq of the last entry: the next page begins after it. */
  readonly lastSeq: number;
  readonly hasMore: boolean;
}

/** Tokens and cost of a session, in all and by model. */
export interface SessionUsage {
  readonly total: Usage;
  /** Sum of the recorded costs; undefined if none was recorded. */
  readonly cost: number | undefined;
  /** Usage by model and price. */
  readonly byModel: readonly PricedUsage[];
  /** How much of each request repeats the one before it: the part that a vendor's prompt cache can serve. */
  readonly cacheStability: CacheStability;
}

export function stateOf(
  fold: SessionFold,
  agent: Agent,
  { message: streamingMessage, toolOutputs }: EventFeed["open"],
): SessionState {
  const { config, queues, turn } = fold;
  const { total: usage, cost: totalCost } = usageOf(fold);
  const tools = config.tools ?? agent.tools;
  return {
    status: fold.status,
    model: config.model ?? nameOfChoice(agent.model),
    thinkingLevel: config.thinkingLevel ?? agent.thinkingLevel,
    tools: tools.map((tool) => (typeof tool === "string" ? tool : tool.name)),
    instructions: config.instructions ?? fold.prompt?.instructions,
    messages: fold.transcript.list,
    streamingMessage,
    pendingToolCalls: fold.pending,
    runningToolCalls: fold.running.map((call) => ({
      ...call,
      output: toolOutputs.find(({ toolCallId }) => toolCallId === call.toolCallId)?.output ?? "",
    })),
    queues: {
      steering: queues.items.filter((item) => item.queue === "steering"),
      followUp: queues.items.filter((item) => item.queue === "followUp"),
    },
    usage,
    totalCost,
    error: turn?.end?.error,
  };
}

export function usageOf({ usage, prefix }: SessionFold): SessionUsage {
  const costs = usage.priced.flatMap(({ cost }) => cost ?? []);
  return {
    total: usage.total,
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    byModel: usage.priced,
    cacheStability: prefix.stability,
  };
}
