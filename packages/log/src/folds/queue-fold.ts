/** The two queues: messages that users sent during a turn, or at rest, and that have not reached the model. */
import type { ChatMessage, QueueMode } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";
import type { ChildOrigin } from "./child-state.ts";

/** A message that waits for the next step or turn. */
export interface QueuedItem {
  readonly id: string;
  readonly queue: "steering" | "followUp";
  readonly message: ChatMessage;
  /** The item waits for the next send, because the turn that it was meant for was aborted or failed. */
  readonly isHeld: boolean;
  /** Its return was requested; its owner must confirm it. */
  readonly isReturning: boolean;
  /** The message was sent as input, and delivered like steering because it settled pending calls. It waits for no other steering. */
  readonly isInput?: true;
  /** The message is the result of a child session, and no user can take it back. It waits for no other steering, either. */
  readonly isResult?: true;
}

/** Exactly one of these happens to every queued message. */
export type QueueOutcome =
  /** The message is in the transcript, as part of this turn. */
  | { readonly type: "delivered"; readonly turnId: string }
  | { readonly type: "returned"; readonly reason: string };

/** Values that an item was queued with, for the turn that it starts. */
export type QueuedOrigin = Pick<EntryOf<"steer">, "app" | "trace"> & Pick<ChildOrigin, "call">;

/** @internal State in a checkpoint. */
export interface SavedQueues {
  readonly items: readonly QueuedItem[];
  readonly outcomes: readonly (readonly [string, QueueOutcome])[];
  readonly origins: readonly (readonly [string, QueuedOrigin])[];
  readonly takenBack: readonly (readonly [string, readonly string[]])[];
  readonly modes: { readonly steering: QueueMode; readonly followUp: QueueMode };
}

const none: readonly QueuedItem[] = [];

/** Queues of steering and follow-up messages. */
export class QueueFold {
  #items: readonly QueuedItem[] = none;
  #outcomes: Map<string, QueueOutcome> | undefined;
  /** Origins of items that have one. Not part of the items, which clients see. */
  #origins: Map<string, QueuedOrigin> | undefined;
  /** Ids of the items that each `queue_cleared` was the first to take back. */
  #takenBack: Map<string, readonly string[]> | undefined;
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

  /** Values that the item was queued with. */
  originOf(id: string): QueuedOrigin | undefined {
    return this.#origins?.get(id);
  }

  add(entry: EntryOf<"steer"> | EntryOf<"follow_up">): void {
    const { type, id, message, app, trace } = entry;
    if (app !== undefined || trace !== undefined) (this.#origins ??= new Map()).set(id, entry);
    const queue = type === "steer" ? "steering" : "followUp";
    this.#add({ id, queue, message, isHeld: false, isReturning: false });
  }

  /** Adds the messages of an input that settled pending calls: the next boundary delivers them. */
  addInput({ messages }: EntryOf<"input">): void {
    for (const message of messages) {
      const item = { id: message.id, queue: "steering", message } as const;
      this.#add({ ...item, isHeld: false, isReturning: false, isInput: true });
    }
  }

  /** Adds the result of a child session, like steering. */
  addResult(message: ChatMessage, origin: QueuedOrigin): void {
    const { id } = message;
    (this.#origins ??= new Map()).set(id, origin);
    const item = { id, queue: "steering", message } as const;
    this.#add({ ...item, isHeld: false, isReturning: false, isResult: true });
  }

  #add(item: QueuedItem): void {
    this.#items = [...this.#items, item];
  }

  /** Drops results that are no longer wanted. */
  drop(ids: readonly string[]): void {
    if (ids.length > 0) this.settle(ids, { type: "returned", reason: "dropped" });
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
      this.#origins?.delete(id);
    }
    this.#items = this.#items.filter((item) => !ids.includes(item.id));
  }

  requestReturn({ id, queue }: EntryOf<"queue_cleared">): void {
    const isTaken = (item: QueuedItem): boolean =>
      !item.isReturning && item.isResult !== true && (queue === "all" || queue === item.queue);
    const taken = this.#items.filter(isTaken);
    if (taken.length === 0) return;
    (this.#takenBack ??= new Map()).set(
      id,
      taken.map((item) => item.id),
    );
    this.#items = this.#items.map((item) =>
      isTaken(item) ? { ...item, isReturning: true } : item,
    );
  }

  /** Ids of the items whose return this `queue_cleared` requested; an item belongs to the first request. */
  takenBackBy(entryId: string): readonly string[] {
    return this.#takenBack?.get(entryId) ?? [];
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

  /** @internal State for a checkpoint. */
  save(): SavedQueues {
    return {
      items: this.#items,
      outcomes: [...(this.#outcomes ?? [])],
      origins: [...(this.#origins ?? [])].map(([id, origin]) => [id, plainOrigin(origin)] as const),
      takenBack: [...(this.#takenBack ?? [])],
      modes: { ...this.#modes },
    };
  }

  /** @internal Takes over the state of a checkpoint. */
  load({ items, outcomes, origins, takenBack, modes }: SavedQueues): void {
    this.#items = items;
    if (outcomes.length > 0) this.#outcomes = new Map(outcomes);
    if (origins.length > 0) this.#origins = new Map(origins);
    if (takenBack.length > 0) this.#takenBack = new Map(takenBack);
    Object.assign(this.#modes, modes);
  }

  #next(queue: QueuedItem["queue"]): readonly QueuedItem[] {
    if (this.#items.length === 0) return none;
    const ready = this.#items.filter(
      (item) => item.queue === queue && !item.isHeld && !item.isReturning,
    );
    if (this.#modes[queue] === "all") return ready;
    return ready.filter(
      (item, index) => index === 0 || item.isInput === true || item.isResult === true,
    );
  }
}

/** An item may have its whole entry as its origin. */
function plainOrigin({ app, trace, call }: QueuedOrigin): QueuedOrigin {
  return {
    ...(app !== undefined && { app }),
    ...(trace !== undefined && { trace }),
    ...(call !== undefined && { call }),
  };
}
