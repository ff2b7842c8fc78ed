/** Records the events of a turn, and answers queries about them. */
import type { AgentEvent, EventEmitter } from "@capstan/kernel";

/** Event of one type. */
export type EventOfType<Type extends AgentEvent["type"]> = Extract<
  AgentEvent,
  { readonly type: Type }
>;

/** Events of a turn in order, and queries for them. */
export interface EventRecorder {
  readonly emit: EventEmitter;
  readonly events: readonly AgentEvent[];
  types(): AgentEvent["type"][];
  ofType<Type extends AgentEvent["type"]>(type: Type): EventOfType<Type>[];
  /** Text of the assistant in all steps, without discarded attempts. */
  text(): string;
  clear(): void;
}

/** Creates a recorder; pass its `emit` to the turn. */
export function recordEvents(): EventRecorder {
  const events: AgentEvent[] = [];
  return {
    emit: (event) => {
      events.push(event);
    },
    events,
    types: () => events.map((event) => event.type),
    ofType: (type) => events.filter((event) => isOfType(event, type)),
    text: () => survivingText(events),
    clear: () => {
      events.length = 0;
    },
  };
}

function isOfType<Type extends AgentEvent["type"]>(
  event: AgentEvent,
  type: Type,
): event is EventOfType<Type> {
  return event.type === type;
}

function survivingText(events: readonly AgentEvent[]): string {
  let kept = "";
  let open = "";
  for (const event of events) {
    if (event.type === "text_delta") open += event.delta;
    // Without a message_end an attempt left no message, and its text is void.
    if (["attempt_discarded", "step_end", "turn_end"].includes(event.type)) open = "";
    if (event.type === "message_end") {
      kept += open;
      open = "";
    }
  }
  return kept + open;
}
