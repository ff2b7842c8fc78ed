/** Selects the events of a tree that belong to one turn of its root: its own, and those of the sessions that work for it. */
import { chainMark } from "../folds/turn-fold.ts";
import type { SessionEvent } from "./session-event.ts";

/** Filter that keeps the events of one turn and of the child sessions that work for it. */
export class TurnOfTree {
  readonly #rootId: string;
  readonly #turnIdOf: () => string;
  /** Sessions that other turns have started. */
  readonly #others = new Set<string>();

  /** `turnIdOf` is asked for each event: an input that settles pending calls belongs to another turn once it is stored. */
  constructor(rootId: string, turnIdOf: () => string) {
    this.#rootId = rootId;
    this.#turnIdOf = turnIdOf;
  }

  /** Asked for every event of the tree, in order. Children that were at work before the first one are taken for those of the turn. */
  has(event: SessionEvent): boolean {
    const { sessionId, turnId, type } = event;
    const isOfRoot = sessionId === this.#rootId;
    const isOther = isOfRoot
      ? chainOf(turnId) !== chainOf(this.#turnIdOf())
      : this.#others.has(sessionId);
    if (type === "child_started" && isOther) this.#others.add(event.childId);
    else if (type === "child_started") this.#others.delete(event.childId);
    if (type === "settled") return false;
    return isOfRoot ? turnId === this.#turnIdOf() : !isOther;
  }
}

function chainOf(turnId: string): string {
  const [first = turnId] = turnId.split(chainMark, 1);
  return first;
}
