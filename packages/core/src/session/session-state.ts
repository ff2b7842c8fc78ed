/** What a session is at one moment, as values. */
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
  PricedUsage,
  QueuedItem,
  SessionFold,
  SessionStatus,
  StoredEntry,
} from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { nameOfChoice } from "../models/model.ts";

export interface SessionState {
  readonly status: SessionStatus;
  /** The name of the model that the next turn runs with. */
  readonly model: string;
  /** Undefined: whatever the model does by itself. */
  readonly thinkingLevel: ThinkingLevel | undefined;
  /** The names of the tools of the next turn. */
  readonly tools: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** The reply that is being written, as far as it is known here. */
  readonly streamingMessage: LiveMessage | undefined;
  readonly pendingToolCalls: readonly PendingCall[];
  readonly queues: {
    readonly steering: readonly QueuedItem[];
    readonly followUp: readonly QueuedItem[];
  };
  readonly usage: Usage;
  readonly totalCost: number | undefined;
  /** How the last turn failed, if it did. */
  readonly error: SerializedError | undefined;
}

/** A session at one moment, with its log. */
export interface SessionReading {
  readonly entries: readonly StoredEntry[];
  /** Of the last event. */
  readonly cursor: Cursor;
  readonly state: SessionState;
  /** What no entry tells: the reply that is being written, and what tools have shown so far. */
  readonly live: {
    readonly message?: LiveMessage;
    readonly toolOutputs: readonly LiveToolOutput[];
  };
}

/** The same with a part of the log. */
export interface SessionReadingPage extends SessionReading {
  /** Those that these entries added, and that are still there. */
  readonly messages: readonly ChatMessage[];
  /** Seq of the last entry: the next page begins after it. */
  readonly lastSeq: number;
  readonly hasMore: boolean;
}

export interface SessionUsage {
  readonly total: Usage;
  /** As far as it was recorded; undefined where nothing was. */
  readonly cost: number | undefined;
  /** By model and price. */
  readonly byModel: readonly PricedUsage[];
  /** How much of the requests repeats the ones before them: what a vendor's prompt cache can give back. */
  readonly cacheStability: CacheStability;
}

export function stateOf(
  fold: SessionFold,
  agent: Agent,
  streamingMessage: LiveMessage | undefined,
): SessionState {
  const { config, queues, turn } = fold;
  const { total: usage, cost: totalCost } = usageOf(fold);
  const tools = config.tools ?? agent.tools;
  return {
    status: fold.status,
    model: config.model ?? nameOfChoice(agent.model),
    thinkingLevel: config.thinkingLevel ?? agent.thinkingLevel,
    tools: tools.map((tool) => (typeof tool === "string" ? tool : tool.name)),
    messages: [...fold.transcript.messages],
    streamingMessage,
    pendingToolCalls: fold.pending,
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
