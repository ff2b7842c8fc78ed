/** A map for an owner that lives long, with values that come and go. */

interface Box<Value> {
  value: Value | undefined;
}

/**
 * Like `Map`, but a deleted value can be collected at once. V8 replaces the table of a `Map` whose entries were deleted, and each old
 * table refers to the next one. Once one of them is in the old space, the tables after it, and every value that they have, stay until
 * the next full collection. Values in boxes that are emptied do not.
 */
export class ReleasingMap<Key, Value extends object> {
  readonly #boxes = new Map<Key, Box<Value>>();

  get size(): number {
    return this.#boxes.size;
  }

  has(key: Key): boolean {
    return this.#boxes.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const box = this.#boxes.get(key);
    if (box === undefined) this.#boxes.set(key, { value });
    else box.value = value;
  }

  delete(key: Key): void {
    const box = this.#boxes.get(key);
    if (box === undefined) return;
    box.value = undefined;
    this.#boxes.delete(key);
  }

  clear(): void {
    for (const box of this.#boxes.values()) box.value = undefined;
    this.#boxes.clear();
  }

  /** In the order in which keys were added. The caller may add and delete entries during the iteration, as with `Map`. */
  *values(): Generator<Value, void> {
    for (const { value } of this.#boxes.values()) if (value !== undefined) yield value;
  }
}
