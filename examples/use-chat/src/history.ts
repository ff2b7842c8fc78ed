/** Messages of a session as `useChat` has them, for a page that is loaded again. */
import type {
  ChatMessage,
  ClientSession,
  ClientSessionState,
  ToolCallPart,
  ToolMessage,
} from "@capstan/client";
import { connect } from "@capstan/client";
import type { UIMessage } from "ai";

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

export interface History {
  readonly messages: PageMessage[];
  /** Messages that wait for the next step of the reply. */
  readonly queued: readonly QueuedMessage[];
  readonly isRunning: boolean;
}

export type PageMessage = UIMessage<{ readonly isStopped?: boolean }>;
type PagePart = PageMessage["parts"][number];

export const emptyHistory: History = { messages: [], queued: [], isRunning: false };

/** Throws if the conversation does not exist. */
export async function loadHistory(id: string): Promise<History> {
  const client = connect({ url: location.origin, credentials: "same-origin" });
  try {
    const session = client.session(id);
    const state = await steadyState(session);
    const turn = state.status === "running" ? await session.current() : undefined;
    return {
      messages: toPageMessages({ ...state, messages: beforeReply(state.messages, turn?.id) }),
      queued: state.queues.steering.map((item) => ({ id: item.id, text: textOf(item.message) })),
      isRunning: turn !== undefined,
    };
  } finally {
    client.close();
  }
}

/** State of a session that runs or rests. Between two turns it does neither: a message that waits will start the next. */
function steadyState(session: ClientSession): Promise<ClientSessionState> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      session.refresh().then((state) => {
        const isBetween = state.queues.steering.some(({ isHeld }) => !isHeld);
        if (state.status !== "running" && isBetween) return;
        unsubscribe();
        resolve(state);
      }, reject);
    };
    const unsubscribe = session.subscribe(look, { onError: reject });
    look();
  });
}

/** Messages up to the input of the turn that runs: the resumed stream has the whole reply. */
function beforeReply(
  messages: readonly ChatMessage[],
  turnId: string | undefined,
): readonly ChatMessage[] {
  const start = messages.findIndex(({ id }) => id === turnId);
  if (turnId === undefined || start < 0) return messages;
  // A message that settled pending calls continues their turn, and has a reply of its own.
  const input = messages.findLastIndex(
    ({ role }, index) => index > start && role === "user" && isSettled(messages[index - 1]),
  );
  return messages.slice(0, Math.max(start, input) + 1);
}

function isSettled(message: ChatMessage | undefined): boolean {
  return message?.role === "tool" && message.isError;
}

function toPageMessages(state: ClientSessionState): PageMessage[] {
  const shown: PageMessage[] = [];
  let previous: ChatMessage | undefined;
  for (const message of state.messages) {
    if (message.role === "user" && message.source === undefined) {
      addUserMessage(shown, message, previous);
    }
    if (message.role === "assistant") {
      const reply = replyIn(shown);
      const parts = message.content.flatMap((part) => partsOf(part, state));
      reply.parts.push({ type: "step-start" }, ...parts);
      if (message.stopReason === "aborted") reply.metadata = { isStopped: true };
    }
    previous = message;
  }
  return shown;
}

/** A message that came after a result was added to the reply while it was written. */
function addUserMessage(
  shown: PageMessage[],
  message: Extract<ChatMessage, { role: "user" }>,
  previous: ChatMessage | undefined,
): void {
  const { id } = message;
  const text = { type: "text", text: textOf(message) } as const;
  const isAdded = previous?.role === "tool" && !isSettled(previous);
  if (isAdded) replyIn(shown).parts.push({ type: "steering-message", id, parts: [text] });
  else shown.push({ id, role: "user", parts: [text] });
}

/** The reply that is last. The server names replies so, too: then a resumed stream continues it. */
function replyIn(shown: PageMessage[]): PageMessage {
  const last = shown.at(-1);
  if (last?.role === "assistant") return last;
  const reply: PageMessage = { id: `${last?.id ?? "first"}-reply`, role: "assistant", parts: [] };
  shown.push(reply);
  return reply;
}

function partsOf(
  part: Extract<ChatMessage, { role: "assistant" }>["content"][number],
  state: ClientSessionState,
): readonly PagePart[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "text", text: part.text, state: "done" }];
    case "thinking":
      return [{ type: "reasoning", text: part.thinking, state: "done" }];
    case "tool_call":
      return [toolPart(part, state)];
    default:
      return [];
  }
}

function toolPart(
  call: ToolCallPart,
  { messages, pendingToolCalls }: ClientSessionState,
): PagePart {
  const { id: toolCallId, name, input } = call;
  const base = { type: `tool-${name}`, toolCallId, input } as const;
  const result = messages.find(
    (message): message is ToolMessage =>
      message.role === "tool" && message.toolCallId === toolCallId,
  );
  const pending = pendingToolCalls.find((waiting) => waiting.toolCallId === toolCallId);
  if (pending?.kind === "approval") {
    // The id that the server gives an approval: it names the call and the hash of what is shown.
    const approval = { id: `${toolCallId}.${pending.hash}` };
    return { ...base, state: "approval-requested", approval };
  }
  if (result === undefined) {
    return { ...base, state: "input-available", providerExecuted: pending === undefined };
  }
  const text = textOf(result);
  const done = { ...base, providerExecuted: true };
  if (result.isDenied === true) {
    const approval = { id: toolCallId, approved: false, reason: text } as const;
    return { ...done, state: "output-denied", approval };
  }
  if (result.isError) return { ...done, state: "output-error", errorText: text };
  return { ...done, state: "output-available", output: text };
}

function textOf(message: ChatMessage): string {
  if (!("content" in message)) return "";
  const { content } = message;
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}
