/** Child sessions as a client sees them in the events of their tree. */
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  ChildStep,
  LivePart,
} from "@capstan/kernel";
import { LiveView } from "@capstan/kernel";
import type { Cursor, SessionEvent } from "@capstan/log";
import type { ClientSessionState, Known } from "../mirror/session-mirror.ts";
import { after, factTypes, layOver } from "../mirror/session-mirror.ts";

type ShownFields =
  | "status"
  | "messages"
  | "streamingMessage"
  | "toolOutputs"
  | "pendingToolCalls"
  | "runningToolCalls"
  | "error";

/** A child session at one moment, as values that never change. Messages are those since the subscription began. */
export interface ClientChildState extends Pick<ClientSessionState, ShownFields> {
  readonly id: string;
  /** Session that it works for. */
  readonly parentId: string;
  /** Call of that session. */
  readonly toolCallId: string;
  readonly agent: string;
  /** Text of the reply being written, or of the last one. */
  readonly text: string;
  /** How its work for the call ended; undefined while it works. */
  readonly outcome: "answered" | "failed" | "stopped" | undefined;
}

type ChildEvent = Extract<SessionEvent, { readonly type: "child_started" | "child_ended" }>;

export class ChildViews {
  readonly #rootId: string;
  readonly #children = new Map<string, ChildView>();
  /** Undefined after a change. */
  #list: readonly ClientChildState[] | undefined;

  constructor(rootId: string) {
    this.#rootId = rootId;
  }

  /** In the order of their starts: one list until something changes. */
  get list(): readonly ClientChildState[] {
    return (this.#list ??= [...this.#children.values()].flatMap(({ state }) => state ?? []));
  }

  /** Names a child of the root whose start may be before the stream. */
  name({ sessionId, toolCallId, agent }: ChildStep): void {
    this.#list = undefined;
    const parentId = this.#rootId;
    this.#viewOf(sessionId).name({ parentId, toolCallId, agent, outcome: undefined });
  }

  apply(event: SessionEvent, cursor: Cursor): void {
    if (event.type === "child_started" || event.type === "child_ended") this.#onChild(event);
    if (event.sessionId === this.#rootId) return;
    this.#list = undefined;
    this.#viewOf(event.sessionId).apply(event, cursor);
  }

  #onChild(event: ChildEvent): void {
    this.#list = undefined;
    this.#viewOf(event.childId).note(event);
  }

  #viewOf(id: string): ChildView {
    let view = this.#children.get(id);
    if (view === undefined) {
      view = new ChildView(id);
      this.#children.set(id, view);
    }
    return view;
  }
}

/** A child as its parent names it. */
type Named = Pick<ClientChildState, "parentId" | "toolCallId" | "agent" | "outcome">;

class ChildView {
  readonly #id: string;
  readonly #view = new LiveView();
  #named: Named | undefined;
  #known: Known = unknown;
  #state: ClientChildState | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  /** Undefined until its start is known. */
  get state(): ClientChildState | undefined {
    return (this.#state ??= this.#named && this.#toState(this.#named));
  }

  name(named: Named): void {
    this.#state = undefined;
    this.#named = named;
  }

  note(event: ChildEvent): void {
    const { sessionId: parentId, toolCallId } = event;
    if (event.type === "child_started") {
      this.name({ parentId, toolCallId, agent: event.agent, outcome: undefined });
    } else if (this.#named?.toolCallId === toolCallId) {
      this.name({ ...this.#named, outcome: event.outcome });
    }
  }

  apply(event: SessionEvent, cursor: Cursor): void {
    this.#state = undefined;
    this.#view.apply(event);
    if (!factTypes.includes(event.type)) return;
    const messages = after(this.#known.messages, { event, cursor });
    this.#known = { ...this.#known, messages };
    layOver(this.#known, event);
  }

  #toState(named: Named): ClientChildState {
    const { message, toolOutputs } = this.#view.snapshot();
    const { status, messages, pendingToolCalls, runningToolCalls, error } = this.#known;
    const shown = message ?? messages.findLast(isReply);
    return {
      id: this.#id,
      ...named,
      status,
      messages,
      text: textOf(shown?.content ?? []),
      streamingMessage: message,
      toolOutputs,
      pendingToolCalls,
      runningToolCalls,
      error,
    };
  }
}

function textOf(parts: readonly (AssistantPart | LivePart)[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function isReply(message: ChatMessage): message is AssistantMessage {
  return message.role === "assistant";
}

const unknown: Known = {
  agent: undefined,
  title: undefined,
  status: "running",
  model: undefined,
  messages: [],
  streamingMessage: undefined,
  toolOutputs: [],
  pendingToolCalls: [],
  runningToolCalls: [],
  queues: { steering: [], followUp: [] },
  usage: {},
  totalCost: undefined,
  error: undefined,
};
