/** Folds the events of child sessions into what the calls that they work on show. */
import type { AssistantPart, ChatMessage, ChildStep, JsonValue, LivePart } from "@capstan/kernel";
import type { SessionEvent } from "./session-event.ts";

/** Calls of one child that are kept: the last ones. */
const maxCalls = 100;
/** Characters of its text that are kept: the last ones. */
const maxTextChars = 4_000;

/** A child session at work, for people. */
export interface ChildShown {
  readonly agent: string;
  /** Its last calls, in their order. */
  readonly calls: readonly ChildCallShown[];
  /** Number of all of them. */
  readonly callCount: number;
  /** Text of the reply being written, or of the last one. */
  readonly text: string;
}

/** Call of a child session, as user interfaces show it. */
export interface ChildCallShown {
  readonly id: string;
  readonly toolName: string;
  readonly input?: JsonValue;
  /** `waiting`: the call has not started, or waits for an answer. */
  readonly state: "waiting" | "running" | "done" | "failed" | "denied";
  /** The child that works on it. */
  readonly child?: ChildShown;
}

interface ChildView {
  readonly id: string;
  readonly agent: string;
  /** Session that it works for, and the call. */
  readonly parentId: string;
  readonly toolCallId: string;
  readonly calls: Map<string, ChildCallShown>;
  /** Number of calls so far. */
  callCount: number;
  text: string;
}

type ToolEnd = Extract<SessionEvent, { readonly type: "tool_execution_end" }>;

/** A call of the session that is shown, and the child that works on it. */
export interface ChangedCall {
  readonly toolCallId: string;
  readonly child: ChildShown;
}

/** Progress of child sessions, folded from the events of a tree. */
export class ChildProgress {
  readonly #views = new Map<string, ChildView>();

  /** A child starts to work on a call. */
  start(
    parentId: string,
    { agent, sessionId: id, toolCallId }: ChildStep,
  ): ChangedCall | undefined {
    const calls = new Map<string, ChildCallShown>();
    const view = { id, agent, parentId, toolCallId, calls, callCount: 0, text: "" };
    this.#views.set(id, view);
    return this.#inRoot(view);
  }

  /** Takes an event of a child. Returns the call that changes; undefined if its start is not known. */
  apply(event: SessionEvent): ChangedCall | undefined {
    if (event.type === "child_started") {
      const { sessionId, childId, agent, toolCallId } = event;
      return this.start(sessionId, { agent, sessionId: childId, toolCallId });
    }
    const view = this.#views.get(event.sessionId);
    if (view === undefined) return undefined;
    this.#update(view, event);
    return this.#inRoot(view);
  }

  #update(view: ChildView, event: SessionEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.role === "assistant") view.text = "";
        return;
      case "text_delta":
        view.text = (view.text + event.delta).slice(-maxTextChars);
        return;
      case "snapshot":
        if (event.message !== undefined) view.text = textOf(event.message.content);
        return;
      case "message_end":
        return this.#endMessage(view, event.message);
      case "tool_execution_start": {
        const { toolCallId: id, toolName, input } = event;
        return this.#put(view, { id, toolName, input, state: "running" });
      }
      case "tool_execution_end": {
        const { toolCallId: id, toolName } = event;
        const call = view.calls.get(id) ?? { id, toolName, state: "running" };
        return this.#put(view, { ...call, state: endOf(event) });
      }
      case "awaiting_tool_execution":
        for (const { toolCallId: id, toolName, input, via } of event.pending) {
          if (via === undefined) this.#put(view, { id, toolName, input, state: "waiting" });
        }
        return;
      default:
    }
  }

  #endMessage(view: ChildView, message: ChatMessage): void {
    if (message.role !== "assistant") return;
    const text = textOf(message.content);
    if (text !== "") view.text = text;
    for (const part of message.content) {
      if (part.type !== "tool_call") continue;
      const { id, name: toolName, input } = part;
      this.#put(view, { id, toolName, input, state: "waiting" });
    }
  }

  #put(view: ChildView, call: ChildCallShown): void {
    if (!view.calls.has(call.id)) view.callCount += 1;
    view.calls.set(call.id, call);
    const [oldest] = view.calls.keys();
    if (view.calls.size > maxCalls && oldest !== undefined) view.calls.delete(oldest);
  }

  /** Goes up to a child whose parent is the session that is shown. */
  #inRoot(view: ChildView): ChangedCall {
    let top = view;
    for (let parent = this.#views.get(top.parentId); parent !== undefined;) {
      top = parent;
      parent = this.#views.get(top.parentId);
    }
    return { toolCallId: top.toolCallId, child: this.#block(top) };
  }

  #block({ id, agent, calls, callCount, text }: ChildView): ChildShown {
    const below = [...this.#views.values()].filter(({ parentId }) => parentId === id);
    const shown = [...calls.values()].map((call) => {
      const view = below.find(({ toolCallId }) => toolCallId === call.id);
      return view === undefined ? call : { ...call, child: this.#block(view) };
    });
    return { agent, calls: shown, callCount, text };
  }
}

function endOf({ isError, isDenied }: ToolEnd): "denied" | "failed" | "done" {
  return isDenied === true ? "denied" : isError ? "failed" : "done";
}

function textOf(parts: readonly (AssistantPart | LivePart)[]): string {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return text.slice(-maxTextChars);
}
