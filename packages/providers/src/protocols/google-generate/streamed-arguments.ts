/** The arguments of a call that come value by value, each with its place: `$.items[0].name`. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, textAt } from "../../wire/wire-json.ts";
import { protocolError } from "./protocol-error.ts";

type Writable = { [key: string]: JsonValue | Writable } | (JsonValue | Writable)[];

/** `.name`, `[0]`, `['name']`. */
const pathStep = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/gy;
/** More places than anybody needs would only be there to fill our memory. */
const maxListLength = 100_000;

export class StreamedArguments {
  readonly #root: Writable = {};

  take(pieces: JsonValue | undefined): void {
    for (const piece of listOf(pieces)) {
      if (!isObject(piece)) throw protocolError("sent an argument that is no object");
      const steps = stepsOf(textAt(piece, "jsonPath") ?? "");
      const value = valueOf(piece);
      if (value !== undefined) write(this.#root, steps, value);
    }
  }

  get value(): JsonObject {
    // Written below, from JSON, at the places of an object.
    return this.#root as JsonObject;
  }
}

function stepsOf(path: string): (string | number)[] {
  if (!path.startsWith("$")) throw protocolError("sent an argument without a place");
  const steps: (string | number)[] = [];
  let end = 1;
  pathStep.lastIndex = 1;
  for (let match = pathStep.exec(path); match !== null; match = pathStep.exec(path)) {
    const [step, name, index, quoted] = match;
    steps.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
    end += step.length;
  }
  const isWhole = end === path.length && typeof steps[0] === "string";
  if (!isWhole)
    throw protocolError(`sent an argument at a place that is none: ${path.slice(0, 60)}`);
  return steps;
}

/** Undefined where the piece only says that there will be a value. */
function valueOf(piece: JsonObject): JsonValue | undefined {
  const { stringValue, numberValue, boolValue, nullValue } = piece;
  if (nullValue !== undefined) return null;
  return stringValue ?? numberValue ?? boolValue;
}

/** A text may come in pieces, which follow each other. */
function write(root: Writable, steps: readonly (string | number)[], value: JsonValue): void {
  let parent = root;
  steps.forEach((step, depth) => {
    if (typeof step === "number" && step >= maxListLength) {
      throw protocolError(`sent an argument at place ${step} of a list`);
    }
    const isLast = depth === steps.length - 1;
    const before = read(parent, step);
    if (isLast) {
      const isText = typeof before === "string" && typeof value === "string";
      put(parent, step, isText ? before + value : value);
      return;
    }
    const isBranch = typeof before === "object" && before !== null;
    // A branch was made here, and is ours to write to.
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
    if (typeof step !== "number") throw protocolError("sent an argument by name into a list");
    // Places that nothing has come for yet.
    while (parent.length < step) parent.push(null);
    parent[step] = value;
  } else Object.defineProperty(parent, step, { value, ...plain });
}

/** As assigned, but `__proto__` is a name like any other. */
const plain = { enumerable: true, configurable: true, writable: true };
