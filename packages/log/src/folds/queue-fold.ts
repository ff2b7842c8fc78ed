/** The two queues: messages that users sent during a turn, or at rest, and that have not reached the model. */
import type { ChatMessage, JsonValue, QueueMode } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";

export interface QueuedItem {
  readonly id: string;
  readonly queue: "steering" | "followUp";
  readonly message: ChatMessage;
  /** The item waits for the next send, because the turn that it was meant for was aborted or failed. */
  readonly isHeld: boolean;
  /** Its return was requested; its owner must confirm it. */
  readonly isReturning: boolean;
}

/** Exactly one of these happens to every queued message. */
export type QueueOutcome =
  /** The message is in the transcript, as part of this turn. */
  | { readonly type: "delivered"; readonly turnId: string }
  | { readonly type: "returned"; readonly reason: string };

const none: readonly QueuedItem[] = [];

export class QueueFold {
  #items: QueuedItem[] = [];
  #outcomes: Map<string, QueueOutcome> | undefined;
  /** Application contexts of items. Not part of the items, which clients see. */
  #apps: Map<string, JsonValue> | undefined;
  readonly #modes = { steering: "one-at-a-time", followUp: "one-at-a-time" } as {
    steering: QueueMode;
    followUp: QueueMode;
  };

  /** In order of arrival. */
  get items(): readonly QueuedItem[] {
    return this.#items;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** Items that the model gets at the next tool-result boundary. */
  nextSteering(): readonly QueuedItem[] {
    return this.#next("steering");
  }

  /** Items that start a turn at rest: steering before follow-ups. */
  nextTurn(): readonly QueuedItem[] {
    const steering = this.#next("steering");
    return steering.length > 0 ? steering : this.#next("followUp");
  }

  /** Items whose return was requested. */
  returning(): readonly QueuedItem[] {
    return this.#items.length === 0 ? none : this.#items.filter((item) => item.isReturning);
  }

  find(id: string): QueuedItem | undefined {
    return this.#items.find((item) => item.id === id);
  }

  /** Application context that the item was queued with. */
  appOf(id: string): JsonValue | undefined {
    return this.#apps?.get(id);
  }

  add({ type, id, message, app }: EntryOf<"steer"> | EntryOf<"follow_up">): void {
    if (app !== undefined) (this.#apps ??= new Map()).set(id, app);
    const queue = type === "steer" ? "steering" : "followUp";
    this.#items.push({ id, queue, message, isHeld: false, isReturning: false });
  }

  /** Outcome of an item that is no longer queued. */
  outcomeOf(id: string): QueueOutcome | undefined {
    return this.#outcomes?.get(id);
  }

  settle(ids: readonly string[], outcome: QueueOutcome): void {
    if (this.#items.length === 0) return;
    const outcomes = (this.#outcomes ??= new Map());
    for (const id of ids) {
      if (this.find(id) !== undefined) outcomes.set(id, outcome);
      this.#apps?.delete(id);
    }
    this.#items = this.#items.filter((item) => !ids.includes(item.id));
  }

  requestReturn(queue: EntryOf<"queue_cleared">["queue"]): void {
    this.#items = this.#items.map((item) =>
      queue === "all" || queue === item.queue ? { ...item, isReturning: true } : item,
    );
  }

  /** Holds all items after an aborted or failed turn, until the user sends again. */
  hold(): void {
    this.#items = this.#items.map((item) => ({ ...item, isHeld: true }));
  }

  /** Releases held items: the user has sent again. */
  unhold(): void {
    if (this.#items.length > 0) {
      this.#items = this.#items.map((item) => ({ ...item, isHeld: false }));
    }
  }

  configure({ steeringMode, followUpMode }: EntryOf<"config">["config"]): void {
    if (steeringMode !== undefined) this.#modes.steering = steeringMode;
    if (followUpMode !== undefined) this.#modes.followUp = followUpMode;
  }

  #next(queue: QueuedItem["queue"]): readonly QueuedItem[] {
    if (this.#items.length === 0) return none;
    const ready = this.#items.filter(
      (item) => item.queue === queue && !item.isHeld && !item.isReturning,
    );
    return this.#modes[queue] === "all" ? ready : ready.slice(0, 1);
  }
}
