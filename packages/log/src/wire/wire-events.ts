/** Events as a wire has them: the ids are stated once for a stream, and the end of a text does not repeat it. */
import type { AgentEvent, AgentEventBody } from "@capstan/kernel";
import { LiveView } from "@capstan/kernel";

type Ids = Pick<AgentEvent, "conversationId" | "turnId">;

/** `text_end` and `thinking_end` come without what their deltas have said. `turnId` is there where it is another than before. */
export type WireEvent = WireBody<AgentEventBody> & { readonly turnId?: string };

type WireBody<Body> = Body extends { readonly type: "text_end" | "thinking_end" }
  ? Pick<Body, "type">
  : Body;

/** The event as JSON, without its ids. Deltas are most of a stream, so they are written by hand. */
export function toWireJson(event: AgentEvent): string {
  switch (event.type) {
    case "text_delta":
      return `{"type":"text_delta","delta":${JSON.stringify(event.delta)}}`;
    case "thinking_delta":
      return `{"type":"thinking_delta","delta":${JSON.stringify(event.delta)}}`;
    case "text_end":
    case "thinking_end":
      return `{"type":"${event.type}"}`;
    default: {
      const { conversationId: _conversationId, turnId: _turnId, ...body } = event;
      return JSON.stringify(body);
    }
  }
}

/** The same with the id of its turn, for a reader that has heard of another one last, or of none. */
export function toWireJsonOfTurn(event: AgentEvent): string {
  return `${toWireJson(event).slice(0, -1)},"turnId":${JSON.stringify(event.turnId)}}`;
}

/** Makes events of what came over a wire, in order. It is kept where a stream is lost and taken up again at its cursor. */
export class WireReader {
  readonly #conversationId: string;
  #turnId = "";
  /** What was said so far, for the ends that do not repeat it. */
  readonly #view = new LiveView();

  constructor(conversationId: string) {
    this.#conversationId = conversationId;
  }

  /** The event. Those of a type that only a newer program knows are passed on as they are. */
  read({ turnId, ...wire }: WireEvent): AgentEvent {
    if (turnId !== undefined) this.#turnId = turnId;
    const ids: Ids = { conversationId: this.#conversationId, turnId: this.#turnId };
    const event = this.#complete(wire, ids);
    this.#view.apply(event);
    return event;
  }

  #complete(body: WireBody<AgentEventBody>, ids: Ids): AgentEvent {
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
