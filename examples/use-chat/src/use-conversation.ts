/** `useChat` on `/api/chat`, with what the server can do besides: steering, a stop that reaches the model, a history. */
import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  generateId,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { useEffect, useRef, useState } from "react";
import type { PendingCall } from "@capstan/client";
import type { History, PageMessage, QueuedMessage } from "./history.ts";
import { loadHistory } from "./history.ts";
import { localTime, localTimeTool } from "./local-time.ts";
import { useWaitingCalls } from "./use-waiting-calls.ts";

export interface ConversationView {
  readonly messages: readonly PageMessage[];
  readonly queued: readonly QueuedMessage[];
  readonly isRunning: boolean;
  readonly error: Error | undefined;
  /** Resolves with false if the text could not be sent. */
  send(text: string): Promise<boolean>;
  stop(): void;
  decide(approvalId: string, isApproved: boolean, reason: string): void;
  /** Approvals that wait in other agents, and are not part of a message. */
  readonly waitingCalls: readonly PendingCall[];
  decideBelow(call: PendingCall, isApproved: boolean, reason: string): void;
}

const transport = new DefaultChatTransport<PageMessage>({
  api: "/api/chat",
  // The server knows the conversation, so the last message is enough.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
    body: { id, message: messages.at(-1), trigger, messageId },
  }),
});

export function useConversation(id: string, history: History): ConversationView {
  const [queued, setQueued] = useState(history.queued);
  const [failure, setFailure] = useState<Error | undefined>();
  const chat = useChat<PageMessage>({
    id,
    messages: history.messages,
    transport,
    resume: history.isRunning,
    throttle: 30,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithToolCalls(state) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(state),
    onToolCall({ toolCall: { toolName, toolCallId } }) {
      if (toolName === localTimeTool) answer(toolCallId);
    },
  });
  const { messages, status, error, setMessages, resumeStream, addToolOutput } = chat;
  const isRunning = status === "submitted" || status === "streaming";
  const waiting = queued.filter((message) => !isDelivered(messages, message.id));

  /** Not awaited by `onToolCall`, which the stream waits for. */
  function answer(toolCallId: string): void {
    void attempt(addToolOutput({ tool: localTimeTool, toolCallId, output: localTime() }));
  }

  /** Shows what the server has, and follows what it does. */
  async function reload(): Promise<void> {
    const loaded = await loadHistory(id);
    setMessages(loaded.messages);
    setQueued(loaded.queued);
    if (loaded.isRunning) await resumeStream();
  }

  async function steer(text: string): Promise<void> {
    const message = { id: generateId(), role: "user", parts: [{ type: "text", text }] };
    // The stream of the running reply shows the message, so this response has nothing to read.
    const response = await post("/api/chat", { id, message });
    setQueued((items) => [...items, { id: message.id, text }]);
    await response.body?.cancel();
  }

  async function stop(): Promise<void> {
    await post(`/api/chat/${id}/stop`, {});
    await reload();
  }

  /** Shows a failure; resolves with false then. */
  async function attempt(work: PromiseLike<unknown> | void): Promise<boolean> {
    setFailure(undefined);
    try {
      await work;
      return true;
    } catch (thrown) {
      setFailure(thrown instanceof Error ? thrown : new Error(String(thrown)));
      return false;
    }
  }

  // A turn that the page has not started: its reply is not in the messages yet.
  const below = useWaitingCalls(id, messages.length > 0 && !isRunning, () => {
    if (!isRunning) void attempt(reload());
  });
  const shown = new Set(messages.flatMap(({ parts }) => parts.flatMap(askedIn)));

  // A call that waited for this page while it was loaded again.
  const hasAnswered = useRef(false);
  useEffect(() => {
    if (hasAnswered.current) return;
    hasAnswered.current = true;
    const parts = history.messages.at(-1)?.parts ?? [];
    for (const part of parts.filter(isToolUIPart)) {
      const isOurs = part.type === `tool-${localTimeTool}` && part.state === "input-available";
      if (isOurs && !history.isRunning) answer(part.toolCallId);
    }
  });

  // A message that was sent too late for the reply starts one of its own.
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && status === "ready" && waiting.length > 0) void attempt(reload());
    wasRunning.current = isRunning;
  });

  return {
    messages,
    queued: waiting,
    isRunning,
    error: error ?? failure,
    send: (text) => attempt(isRunning ? steer(text) : chat.sendMessage({ text })),
    stop: () => void attempt(stop()),
    decide: (approvalId, approved, reason) =>
      void attempt(
        chat.addToolApprovalResponse({
          id: approvalId,
          approved,
          ...(reason !== "" && { reason }),
        }),
      ),
    waitingCalls: below.calls.filter(({ toolCallId }) => !shown.has(toolCallId)),
    decideBelow: (...decision) => void attempt(below.decide(...decision)),
  };
}

/** Id of the call that a part asks about. */
function askedIn(part: PageMessage["parts"][number]): readonly string[] {
  return isToolUIPart(part) && part.state === "approval-requested" ? [part.toolCallId] : [];
}

function isDelivered(messages: readonly PageMessage[], id: string): boolean {
  return messages.some(
    (message) =>
      message.id === id ||
      message.parts.some((part) => part.type === "steering-message" && part.id === id),
  );
}

async function post(address: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
