/** Call arguments that arrive value by value, each with its path: `$.items[0].name`. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, textAt } from "../../wire/wire-json.ts";
import { protocolError } from "./protocol-error.ts";

type Writable = { [key: string]: JsonValue | Writable } | (JsonValue | Writable)[];

/** `.name`, `[0]`, `['name']`. */
const pathStep = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/gy;
/** Guards memory: no real list is this long. */
const maxListLength = 100_000;

export class StreamedArguments {
  readonly #root: Writable = {};

  take(pieces: JsonValue | undefined): void {
    for (const piece of listOf(pieces)) {
      if (!isObject(piece)) throw protocolError("sent an argument that is not an object");
      const steps = stepsOf(textAt(piece, "jsonPath") ?? "");
      const value = valueOf(piece);
      if (value !== undefined) write(this.#root, steps, value);
    }
  }

  get value(): JsonObject {
    // Built below from JSON, starting with an object.
    return this.#root as JsonObject;
  }
}

function stepsOf(path: string): (string | number)[] {
  if (!path.startsWith("$")) throw protocolError("sent an argument without a path");
  const steps: (string | number)[] = [];
  let end = 1;
  pathStep.lastIndex = 1;
  for (let match = pathStep.exec(path); match !== null; match = pathStep.exec(path)) {
    const [step, name, index, quoted] = match;
    steps.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
    end += step.length;
  }
  const isWhole = end === path.length && typeof steps[0] === "string";
  if (!isWhole) throw protocolError(`sent an argument with an invalid path: ${path.slice(0, 60)}`);
  return steps;
}

/** Returns undefined if the piece only announces a value. */
function valueOf(piece: JsonObject): JsonValue | undefined {
  const { stringValue, numberValue, boolValue, nullValue } = piece;
  if (nullValue !== undefined) return null;
  return stringValue ?? numberValue ?? boolValue;
}

/** Writes a value. A string may arrive in pieces, which are appended. */
function write(root: Writable, steps: readonly (string | number)[], value: JsonValue): void {
  let parent = root;
  steps.forEach((step, depth) => {
    if (typeof step === "number" && step >= maxListLength) {
      throw protocolError(`sent an argument at index ${step} of a list`);
    }
    const isLast = depth === steps.length - 1;
    const before = read(parent, step);
    if (isLast) {
      const isText = typeof before === "string" && typeof value === "string";
      put(parent, step, isText ? before + value : value);
      return;
    }
    const isBranch = typeof before === "object" && before !== null;
    // Branches are created here, so they are writable.
    const child = (isBranch ? before : typeof steps[depth + 1] === "number" ? [] : {}) as Writable;
    if (!isBranch) put(parent, step, child);
    parent = child;
  });
}

function read(parent: Writable, step: string | number): JsonValue | Writable | undefined {
  if (Array.isArray(parent)) return typeof step === "number" ? parent[step] : undefined;
  return Object.hasOwn(parent, step) ? parent[step] : undefined;
}

function put(parent: Writable, step: string | number, value: JsonValue | Writable): void {
  if (Array.isArray(parent)) {
    if (typeof step !== "number") throw protocolError("sent an argument with a name in a list");
    // Fill indexes that have no value yet.
    while (parent.length < step) parent.push(null);
    parent[step] = value;
  } else Object.defineProperty(parent, step, { value, ...plain });
}

/** Like an assignment, except that `__proto__` is an ordinary name. */
const plain = { enumerable: true, configurable: true, writable: true };
