/** A small language for the shape of a request body. It finds the first fault and its path; each protocol has its own error messages. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isList, isObject, kindOf } from "./json.ts";
import type { JsonKind, JsonObject } from "./json.ts";

/** A tag names the variant of a union that a value was matched with: some vendors show it in their paths. */
type PathSegment = string | number | { readonly tag: string };
export type Path = readonly PathSegment[];

export type ShapeIssue = { readonly path: Path } & (
  | { readonly kind: "missing" }
  | { readonly kind: "unknown" }
  | { readonly kind: "type"; readonly expected: readonly JsonKind[]; readonly value: JsonValue }
  | { readonly kind: "choice"; readonly choices: readonly string[]; readonly value: JsonValue }
  | {
      readonly kind: "tag";
      readonly key: string;
      readonly choices: readonly string[];
      readonly value: JsonValue;
    }
  | { readonly kind: "below" | "above"; readonly limit: number; readonly value: number }
  | {
      readonly kind: "short" | "long";
      readonly limit: number;
      readonly value: string | readonly JsonValue[];
    }
  | { readonly kind: "pattern"; readonly pattern: string; readonly value: string }
);

export interface Shape {
  readonly kinds: readonly JsonKind[];
  /** Called with a value of one of these kinds. */
  check(value: JsonValue, path: Path): ShapeIssue | undefined;
}

type Fields = Readonly<Record<string, Shape>>;

export function findShapeIssue(
  shape: Shape,
  value: JsonValue,
  path: Path = [],
): ShapeIssue | undefined {
  const kind = kindOf(value);
  const isOfKind =
    shape.kinds.includes(kind) || (kind === "integer" && shape.kinds.includes("number"));
  return isOfKind ? shape.check(value, path) : { kind: "type", path, expected: shape.kinds, value };
}

export function text(
  limits: { readonly min?: number; readonly max?: number; readonly pattern?: RegExp } = {},
): Shape {
  const { min = 0, max = Infinity, pattern } = limits;
  return {
    kinds: ["string"],
    check(value, path) {
      const given = asText(value);
      if (given.length < min) return { kind: "short", path, limit: min, value: given };
      if (given.length > max) return { kind: "long", path, limit: max, value: given };
      if (pattern === undefined || pattern.test(given)) return undefined;
      return { kind: "pattern", path, pattern: pattern.source, value: given };
    },
  };
}

function amount(kind: "integer" | "number") {
  return (limits: { readonly min?: number; readonly max?: number } = {}): Shape => {
    const { min = -Infinity, max = Infinity } = limits;
    return {
      kinds: [kind],
      check(value, path) {
        const given = Number(value);
        if (given < min) return { kind: "below", path, limit: min, value: given };
        return given > max ? { kind: "above", path, limit: max, value: given } : undefined;
      },
    };
  };
}

export const integer: (limits?: { readonly min?: number; readonly max?: number }) => Shape =
  amount("integer");
export const decimal: (limits?: { readonly min?: number; readonly max?: number }) => Shape =
  amount("number");

function ofKind(...kinds: readonly JsonKind[]): Shape {
  return { kinds, check: () => undefined };
}

export const flag: Shape = ofKind("boolean");
/** An object whose content is not checked here. */
export const dictionary: Shape = ofKind("object");
export const anything: Shape = ofKind("string", "number", "boolean", "object", "array", "null");

export function choice(...choices: readonly string[]): Shape {
  return {
    kinds: ["string"],
    check: (value, path) =>
      choices.includes(asText(value)) ? undefined : { kind: "choice", path, choices, value },
  };
}

export function list(
  item: Shape,
  limits: { readonly min?: number; readonly max?: number } = {},
): Shape {
  const { min = 0, max = Infinity } = limits;
  return {
    kinds: ["array"],
    check(value, path) {
      if (!isList(value)) return undefined;
      if (value.length < min) return { kind: "short", path, limit: min, value };
      if (value.length > max) return { kind: "long", path, limit: max, value };
      return firstOf(value, (inner, index) => findShapeIssue(item, inner, [...path, index]));
    },
  };
}

export function nullable(shape: Shape): Shape {
  return {
    kinds: [...shape.kinds, "null"],
    check: (value, path) => (value === null ? undefined : shape.check(value, path)),
  };
}

/** Uses the first shape for the kind of the value. */
export function either(...shapes: readonly Shape[]): Shape {
  return {
    kinds: shapes.flatMap((shape) => shape.kinds),
    check: (value, path) =>
      shapes.find((shape) => shape.kinds.includes(kindOf(value)))?.check(value, path),
  };
}

/** An object with these fields and no others. */
export function object(required: Fields, optional: Fields = {}): Shape {
  return withFields(required, optional, false);
}

/** An object with at least these fields. */
export function openObject(required: Fields, optional: Fields = {}): Shape {
  return withFields(required, optional, true);
}

function withFields(required: Fields, optional: Fields, isOpen: boolean): Shape {
  const known: Fields = { ...required, ...optional };
  return {
    kinds: ["object"],
    check(value, path) {
      if (!isObject(value)) return undefined;
      const missing = Object.keys(required).find((key) => value[key] === undefined);
      if (missing !== undefined) return { kind: "missing", path: [...path, missing] };
      return firstOf(Object.entries(value), ([key, inner]) => {
        const shape = Object.hasOwn(known, key) ? known[key] : undefined;
        if (shape !== undefined) return findShapeIssue(shape, inner, [...path, key]);
        return isOpen ? undefined : { kind: "unknown", path: [...path, key] };
      });
    },
  };
}

/** A union of objects, discriminated by one key. */
export function tagged(key: string, variants: Fields): Shape {
  const union = taggedBy((value) => value[key], variants, key);
  return {
    kinds: union.kinds,
    check: (value, path) =>
      isObject(value) && value[key] === undefined
        ? { kind: "missing", path: [...path, key] }
        : union.check(value, path),
  };
}

/** A union of objects, discriminated by a function. */
export function taggedBy(
  tagOf: (value: JsonObject) => JsonValue | undefined,
  variants: Fields,
  key = "type",
): Shape {
  return {
    kinds: ["object"],
    check(value, path) {
      if (!isObject(value)) return undefined;
      const tag = asText(tagOf(value));
      const shape = Object.hasOwn(variants, tag) ? variants[tag] : undefined;
      if (shape === undefined) {
        return { kind: "tag", path, key, choices: Object.keys(variants), value: tag };
      }
      return shape.check(value, [...path, { tag }]);
    },
  };
}

function firstOf<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => ShapeIssue | undefined,
): ShapeIssue | undefined {
  for (const [index, item] of items.entries()) {
    const issue = check(item, index);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

/** Formats a path as `messages[0].content`, without the tags of unions. */
export function toBracketPath(path: Path): string {
  return path
    .filter((segment) => typeof segment !== "object")
    .map((segment, at) => {
      if (typeof segment === "number") return `[${segment}]`;
      return at === 0 ? segment : `.${segment}`;
    })
    .join("");
}

/** Formats a path as `messages.0.content`, without the tags of unions. */
export function toDottedPath(path: Path): string {
  return path.filter((segment) => typeof segment !== "object").join(".");
}
