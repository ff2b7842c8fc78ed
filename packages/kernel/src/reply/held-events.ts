/** Events of a reply that a guard has not passed yet. */
import type { AgentEvent, EventIds } from "../contracts/events.ts";

type Event = AgentEvent<EventIds>;
type ProseStart = Extract<Event, { readonly type: "text_start" | "thinking_start" }>;

export interface EventSink {
  emit(event: Event): void;
}

export class HeldEvents implements EventSink {
  readonly #target: EventSink;
  #events: Event[] = [];
  #releasedText = "";
  /** Text or thinking whose end was not shown. */
  #open: { readonly start: ProseStart; prose: string } | undefined;

  constructor(target: EventSink) {
    this.#target = target;
  }

  emit(event: Event): void {
    this.#events.push(event);
  }

  get count(): number {
    return this.#events.length;
  }

  /** Text that was shown. */
  get releasedText(): string {
    return this.#releasedText;
  }

  /** Shows the first events, by default all. */
  release(count: number = this.#events.length): void {
    const events = this.#events.slice(0, count);
    this.#events = this.#events.slice(count);
    for (const event of events) {
      this.#note(event);
      this.#target.emit(event);
    }
  }

  /** Drops what was not shown: a verdict that comes later has no effect. */
  drop(): void {
    this.#events = [];
  }

  /** Ends what was shown, and drops the rest. */
  breakOff(): void {
    this.drop();
    if (this.#open === undefined) return;
    const { start, prose } = this.#open;
    this.#open = undefined;
    this.#target.emit(
      start.type === "text_start"
        ? { ...start, type: "text_end", text: prose }
        : { ...start, type: "thinking_end", thinking: prose },
    );
  }

  #note(event: Event): void {
    switch (event.type) {
      case "text_start":
      case "thinking_start":
        this.#open = { start: event, prose: "" };
        return;
      case "text_delta":
        this.#releasedText += event.delta;
        if (this.#open !== undefined) this.#open.prose += event.delta;
        return;
      case "thinking_delta":
        if (this.#open !== undefined) this.#open.prose += event.delta;
        return;
      case "text_end":
      case "thinking_end":
        this.#open = undefined;
        return;
      default:
        return;
    }
  }
}
