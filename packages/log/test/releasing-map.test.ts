import { ReleasingMap } from "@capstan/log";
import * as fc from "fast-check";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

setFlagsFromString("--expose-gc");
// The flag adds the function to new contexts only.
const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;

const live = 10;
const valueBytes = 80_000;

/** Adds values and deletes the oldest ones, as a process does with its sessions. */
function turnOver(map: ReleasingMap<number, object>, from: number): void {
  for (let key = from; key < from + 500; key += 1) {
    map.set(
      key,
      Array.from({ length: valueBytes / 8 }, () => key),
    );
    map.delete(key - live);
  }
}

test("deleted values do not wait for the next full collection", () => {
  const map = new ReleasingMap<number, object>();
  turnOver(map, 0);
  collect();
  const before = process.memoryUsage().heapUsed;

  turnOver(map, 500);

  for (let round = 0; round < 2; round += 1) collect({ type: "minor" });
  const retained = process.memoryUsage().heapUsed - before;
  expect(retained).toBeLessThan(5 * live * valueBytes);
  expect(map.size).toBe(live);
});

test("it has what a Map has, in the same order", () => {
  const key = fc.integer({ min: 0, max: 5 });
  const change = fc.oneof(
    fc.record({ type: fc.constant("set" as const), key, value: fc.object() }),
    fc.record({ type: fc.constant("delete" as const), key }),
    fc.record({ type: fc.constant("clear" as const) }),
  );

  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const map = new ReleasingMap<number, object>();
      const model = new Map<number, object>();
      for (const each of changes) {
        for (const one of [map, model]) {
          if (each.type === "set") one.set(each.key, each.value);
          else if (each.type === "delete") one.delete(each.key);
          else one.clear();
        }
      }
      expect([...map.values()]).toEqual([...model.values()]);
      expect(map.size).toBe(model.size);
      for (let at = 0; at <= 5; at += 1) {
        expect(map.get(at)).toBe(model.get(at));
        expect(map.has(at)).toBe(model.has(at));
      }
    }),
  );
});
