/** A JSON value, and nothing else: validates every field that may hold anything. */
import type { JsonValue } from "@capstan/kernel";
import { z } from "zod";

/**
 * Maximum nesting depth of a value. JSON parsers of other languages stop at about a thousand levels, some earlier, and `JSON.parse` reads
 * more than `JSON.stringify` can write again.
 */
export const maxJsonLevels = 500;

/** Checks the value without copying it, so no key can affect a prototype. */
export const JsonValueSchema: z.ZodType<JsonValue> = z.any().check((context) => {
  const fault = faultOf(context.value, 1);
  if (fault === undefined) return;
  const { path, message } = fault;
  context.issues.push({ code: "custom", input: context.value, path: [...path], message });
});

interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const tooDeep: Fault = {
  // The path would be as long as the value is deep.
  path: [],
  message: `Invalid input: expected JSON of at most ${maxJsonLevels} levels`,
};

function faultOf(value: unknown, level: number): Fault | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : notJson(String(value));
    case "object":
      return value === null ? undefined : faultIn(value, level);
    default:
      return notJson(typeof value);
  }
}

/** Recursion is safe here: it ends at the last allowed level. */
function faultIn(value: object, level: number): Fault | undefined {
  if (level > maxJsonLevels) return tooDeep;
  if (Array.isArray(value)) return faultOfItems(value, level);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return notJson(nameOf(value));
  const fields = value as { readonly [key: string]: unknown };
  // Not with `Object.entries`, which takes five times as long. States and tool outputs can be large.
  for (const key of Object.keys(fields)) {
    const fault = faultOf(fields[key], level + 1);
    if (fault !== undefined) return within(key, fault);
  }
  return undefined;
}

function faultOfItems(items: readonly unknown[], level: number): Fault | undefined {
  // By index, because most other ways to visit an array skip holes.
  for (let index = 0; index < items.length; index += 1) {
    const fault = faultOf(items[index], level + 1);
    if (fault !== undefined) return within(index, fault);
  }
  return undefined;
}

function within(key: string | number, fault: Fault): Fault {
  return fault === tooDeep ? fault : { ...fault, path: [key, ...fault.path] };
}

function notJson(received: string): Fault {
  return { path: [], message: `Invalid input: expected JSON, received ${received}` };
}

function nameOf({ constructor }: object): string {
  return typeof constructor === "function" ? constructor.name : "an object with a prototype";
}
