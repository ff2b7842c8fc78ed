/** Events as sent over a wire: the ids are stated once per stream, and the end of a text does not repeat it. */
import type { AgentEventBody } from "@capstan/kernel";
import { LiveView } from "@capstan/kernel";
import type { SessionEvent, SessionIds } from "../events/session-event.ts";

/** `text_end` and `thinking_end` omit the text of their deltas. `turnId` is set if it differs from the previous one. */
export type WireEvent = WireBody<AgentEventBody> & { readonly turnId?: string };

type WireBody<Body> = Body extends { readonly type: "text_end" | "thinking_end" }
  ? Pick<Body, "type">
  : Body;

/** Returns the event as JSON, without its ids. Deltas are most of a stream, so they are serialized by hand. */
export function toWireJson(event: SessionEvent): string {
  switch (event.type) {
    case "text_delta":
      return `{"type":"text_delta","delta":${JSON.stringify(event.delta)}}`;
    case "thinking_delta":
      return `{"type":"thinking_delta","delta":${JSON.stringify(event.delta)}}`;
    case "text_end":
    case "thinking_end":
      return `{"type":"${event.type}"}`;
    default: {
      const { sessionId: _sessionId, turnId: _turnId, ...body } = event;
      return JSON.stringify(body);
    }
  }
}

/** Returns the event with the id of its turn, for a reader that last saw another turn, or none. */
export function toWireJsonOfTurn(event: SessionEvent): string {
  return `${toWireJson(event).slice(0, -1)},"turnId":${JSON.stringify(event.turnId)}}`;
}

/** Rebuilds events from a wire, in order. It is kept when a stream is lost and resumed at its cursor. */
export class WireReader {
  readonly #sessionId: string;
  #turnId = "";
  /** Content so far, for the ends that do not repeat it. */
  readonly #view = new LiveView();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Returns the event. Types that only a newer program knows are passed on unchanged. */
  read({ turnId, ...wire }: WireEvent): SessionEvent {
    if (turnId !== undefined) this.#turnId = turnId;
    const ids: SessionIds = { sessionId: this.#sessionId, turnId: this.#turnId };
    const event = this.#complete(wire, ids);
    this.#view.apply(event);
    return event;
  }

  #complete(body: WireBody<AgentEventBody>, ids: SessionIds): SessionEvent {
    if (body.type === "text_end") return { ...body, ...ids, text: this.#lastProse() };
    if (body.type === "thinking_end") return { ...body, ...ids, thinking: this.#lastProse() };
    return { ...body, ...ids };
  }

  #lastProse(): string {
    const last = this.#view
      .snapshot()
      .message?.content.findLast(({ type }) => type !== "tool_call");
    if (last === undefined || last.type === "tool_call") return "";
    return last.type === "text" ? last.text : last.thinking;
  }
}
