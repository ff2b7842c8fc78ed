/** Frames of a page's stream: each event becomes the chunks that its encoder makes of it. */
import type { Session } from "@capstan/core";
import type { AssistantMessage, ChatMessage } from "@capstan/kernel";
import type { Cursor, SessionEvent } from "@capstan/log";
import { formatCursor } from "@capstan/log";
import type { ChatProtocol } from "@capstan/log/chat";
import { ChunkEncoder, nothingAdded } from "@capstan/log/chat";
import { chunkFrames, doneFrame } from "./chunk-frames.ts";
import type { Backend } from "../endpoints/endpoint.ts";
import type { StreamFormat } from "../endpoints/open-stream.ts";
import type { TurnEndings } from "../endpoints/turn-stream.ts";
import type { EndReason } from "../streaming/session-frames.ts";

export const chatHeaders = { "x-vercel-ai-ui-message-stream": "v1" } as const;

/** Reason that a page is told if its stream ends before the turn. */
const endTexts: Record<EndReason, string> = {
  closing: "The server is shutting down: load the conversation again in a moment",
  deleted: "The conversation was deleted",
};

export interface ChatReply {
  readonly protocol: ChatProtocol;
  /** Id of the page's message that the reply is. */
  readonly messageId: string;
  /** Whether the page has the message already, with calls that are answered now. */
  readonly isContinued?: boolean;
}

export function chatFormat(
  { host, clock, view }: Backend,
  { agent, config, messages, pendingToolCalls }: Session,
  { protocol, messageId, isContinued = false }: ChatReply,
): StreamFormat {
  const own = host.agents.find(({ name }) => name === agent)?.tools ?? [];
  const lent = (config.tools ?? []).filter((tool) => typeof tool !== "string");
  const encoder = new ChunkEncoder({
    protocol,
    messageId,
    now: clock.now,
    isClientTool: (name) =>
      lent.some((tool) => tool.name === name) ||
      own.some((tool) => tool.name === name && tool.execute === undefined),
  });
  if (isContinued) {
    for (const call of messages.findLast(isAssistant)?.content ?? []) {
      if (call.type === "tool_call") encoder.know(call);
    }
    for (const call of pendingToolCalls) encoder.knowPending(call);
  }
  const frame = (event: SessionEvent, cursor: Cursor): string =>
    chunkFrames(encoder.take(view.event(event)), formatCursor(cursor));
  return {
    frames: { frame, frameOfTurn: frame },
    opening: chunkFrames([{ type: "start", messageId }]),
    endFrame: (reason) => errorFrames(endTexts[reason]),
  };
}

function isAssistant(message: ChatMessage): message is AssistantMessage {
  return message.role === "assistant";
}

function errorFrames(errorText: string): string {
  return chunkFrames([{ type: "error", errorText }]) + doneFrame;
}

export function chatEndings({ view }: Backend): TurnEndings {
  return {
    gone: errorFrames(endTexts.deleted),
    complete({ error }, turnId) {
      if (turnId !== undefined) return doneFrame;
      if (error !== undefined) return errorFrames(view.error(error).message);
      return chunkFrames(nothingAdded) + doneFrame;
    },
  };
}
