/** What the page shows of a session: a pure function of its state. */

/**
 * @import { ChatMessage, ClientSessionState, PendingCall } from "@capstan/client"
 *
 * @typedef {"running" | "waiting" | "done" | "failed" | "denied" | "stopped"} ToolState
 * @typedef {{
 *   readonly key: string, readonly type: "tool", readonly name: string, readonly state: ToolState,
 *   readonly input: string, readonly output: string, readonly approval: PendingCall | undefined,
 * }} ToolPart
 * @typedef {{ readonly key: string, readonly type: "text" | "thinking" | "note", readonly text: string }} TextPart
 * @typedef {TextPart | ToolPart} Part
 * @typedef {{ readonly key: string, readonly kind: "user", readonly text: string, readonly note: string }} UserItem
 * @typedef {{ readonly key: string, readonly kind: "assistant", readonly parts: readonly Part[], readonly isBusy: boolean }} ReplyItem
 * @typedef {UserItem | ReplyItem} Item
 */

/**
 * @param {ClientSessionState} state
 * @returns {readonly Item[]}
 */
export function toItems(state) {
  /** @type {Item[]} */
  const items = [];
  for (const message of state.messages) addMessage(items, message, state);
  const { streamingMessage: live } = state;
  if (live !== undefined) {
    addParts(
      items,
      live.id,
      live.content.map((part, index) => partOf(part, `${live.id}-${index}`, state)),
    );
  }
  if (state.status === "running") markBusy(items);
  for (const { id, message } of state.queues.steering) {
    items.push({ key: id, kind: "user", text: textOf(message), note: "Waits for the next step" });
  }
  return items;
}

/**
 * @param {Item[]} items
 * @param {ChatMessage} message
 * @param {ClientSessionState} state
 */
function addMessage(items, message, state) {
  if (message.role === "user" && message.source === undefined) {
    const isAdded = state.messages[state.messages.indexOf(message) - 1]?.role === "tool";
    const note = isAdded ? "Sent while it worked" : "";
    items.push({ key: message.id, kind: "user", text: textOf(message), note });
  }
  if (message.role !== "assistant") return;
  const { id, content, stopReason } = message;
  const parts = content.map((part, index) => partOf(part, `${id}-${index}`, state));
  addParts(items, id, parts);
  if (stopReason === "aborted") {
    addParts(items, id, [{ key: `${id}-note`, type: "note", text: "Stopped" }]);
  }
}

/**
 * Adds parts to the reply that is last, or begins one.
 *
 * @param {Item[]} items
 * @param {string} id
 * @param {readonly (Part | undefined)[]} added
 */
function addParts(items, id, added) {
  const parts = added.filter((part) => part !== undefined);
  const last = items.at(-1);
  if (last?.kind === "assistant") {
    items[items.length - 1] = { ...last, parts: [...last.parts, ...parts] };
  } else if (parts.length > 0) {
    items.push({ key: `reply-${id}`, kind: "assistant", parts, isBusy: false });
  }
}

/** @param {Item[]} items */
function markBusy(items) {
  const last = items.at(-1);
  if (last?.kind === "assistant") items[items.length - 1] = { ...last, isBusy: true };
  else items.push({ key: "reply-next", kind: "assistant", parts: [], isBusy: true });
}

/**
 * @param {Extract<ChatMessage, { role: "assistant" }>["content"][number] | NonNullable<ClientSessionState["streamingMessage"]>["content"][number]} part
 * @param {string} key
 * @param {ClientSessionState} state
 * @returns {Part | undefined}
 */
function partOf(part, key, state) {
  switch (part.type) {
    case "text":
    case "refusal":
      return { key, type: "text", text: part.text };
    case "thinking":
      return part.thinking === "" ? undefined : { key, type: "thinking", text: part.thinking };
    case "tool_call": {
      const isPartial = part.input === undefined && "inputText" in part;
      const input = isPartial ? part.inputText : toJson(part.input);
      return { key: part.id, type: "tool", name: part.name, input, ...outcomeOf(part.id, state) };
    }
    default:
      return undefined;
  }
}

/**
 * @param {string} id
 * @param {ClientSessionState} state
 * @returns {Pick<ToolPart, "state" | "output" | "approval">}
 */
function outcomeOf(id, { messages, toolOutputs, pendingToolCalls, status }) {
  const pending = pendingToolCalls.find(({ toolCallId }) => toolCallId === id);
  const approval = pending?.kind === "approval" ? pending : undefined;
  const result = messages.find((message) => message.role === "tool" && message.toolCallId === id);
  if (result?.role === "tool") {
    const output = textOf(result);
    if (result.isDenied === true) return { state: "denied", output, approval };
    return { state: result.isError ? "failed" : "done", output, approval };
  }
  const output = toolOutputs.find(({ toolCallId }) => toolCallId === id)?.output ?? "";
  if (approval !== undefined) return { state: "waiting", output, approval };
  const isOpen = status === "running" || pending !== undefined;
  return { state: isOpen ? "running" : "stopped", output, approval };
}

/** @param {unknown} value */
function toJson(value) {
  return JSON.stringify(value, undefined, 2);
}

/** @param {ChatMessage} message */
function textOf(message) {
  if (!("content" in message)) return "";
  const { content } = message;
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}
