/** Keywords about a value by itself: type, enum, const, numbers, strings. */
import type { JsonValue } from "@capstan/kernel";
import { canonicalJson, isList } from "./canonical-json.ts";
import type { Check } from "./check.ts";
import type { Keywords } from "./keywords.ts";
import { shown } from "./schema-problem.ts";

const typeNames = ["null", "boolean", "integer", "number", "string", "array", "object"];

export function valueChecks(keywords: Keywords): Check[] {
  return [
    ...typeChecks(keywords),
    ...equalityChecks(keywords),
    ...numberChecks(keywords),
    ...stringChecks(keywords),
  ];
}

function typeChecks(keywords: Keywords): Check[] {
  if (!keywords.has("type")) return [];
  const { type } = keywords.schema;
  const wanted = typeof type === "string" ? [type] : (keywords.names("type") ?? []);
  const unknown = wanted.find((name) => !typeNames.includes(name));
  if (unknown !== undefined) {
    throw keywords.problem("type", `unknown type ${shown(unknown)}: use ${typeNames.join(", ")}`);
  }
  const expected = wanted.join(" or ");
  return [
    (value, findings) => {
      const actual = typeOf(value);
      const fits = wanted.includes(actual) || (actual === "integer" && wanted.includes("number"));
      if (!fits) findings.add(`expected ${expected}, got ${actual}`);
    },
  ];
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function equalityChecks(keywords: Keywords): Check[] {
  const checks: Check[] = [];
  const allowed = keywords.list("enum");
  if (allowed !== undefined) checks.push(oneOfValues(allowed));
  if (keywords.has("const")) checks.push(oneOfValues([keywords.schema["const"] ?? null]));
  return checks;
}

function oneOfValues(values: readonly JsonValue[]): Check {
  const allowed = new Set(values.map(canonicalJson));
  const shown = values.map((value) => JSON.stringify(value)).join(", ");
  const message = values.length === 1 ? `must be ${shown}` : `must be one of ${shown}`;
  return (value, findings) => {
    if (!allowed.has(canonicalJson(value))) findings.add(message);
  };
}

function numberChecks(keywords: Keywords): Check[] {
  const checks: Check[] = [];
  const require = (fits: (value: number) => boolean, message: string): void => {
    checks.push((value, findings) => {
      if (typeof value === "number" && !fits(value)) findings.add(message);
    });
  };
  const minimum = keywords.number("minimum");
  if (minimum !== undefined) require((value) => value >= minimum, `must be at least ${minimum}`);
  const maximum = keywords.number("maximum");
  if (maximum !== undefined) require((value) => value <= maximum, `must be at most ${maximum}`);
  const above = keywords.number("exclusiveMinimum");
  if (above !== undefined) require((value) => value > above, `must be above ${above}`);
  const below = keywords.number("exclusiveMaximum");
  if (below !== undefined) require((value) => value < below, `must be below ${below}`);
  const factor = keywords.number("multipleOf");
  if (factor !== undefined) {
    if (factor <= 0) throw keywords.problem("multipleOf", `it must be above 0, not ${factor}`);
    require((value) => isMultiple(value, factor), `must be a multiple of ${factor}`);
  }
  return checks;
}

/** 0.3 is a multiple of 0.1, although floating-point division does not yield an integer. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient) * 2;
}

function stringChecks(keywords: Keywords): Check[] {
  const checks: Check[] = [];
  const require = (fits: (value: string) => boolean, message: string): void => {
    checks.push((value, findings) => {
      if (typeof value === "string" && !fits(value)) findings.add(message);
    });
  };
  const min = keywords.count("minLength");
  if (min !== undefined) require((value) => lengthOf(value) >= min, tooShort(min));
  const max = keywords.count("maxLength");
  if (max !== undefined) {
    require((value) => lengthOf(value) <= max, `must have at most ${max} characters`);
  }
  const pattern = keywords.pattern("pattern");
  if (pattern !== undefined) {
    require((value) => pattern.test(value), `must match ${pattern.source}`);
  }
  return checks;
}

function tooShort(min: number): string {
  return min === 1 ? "must not be empty" : `must have at least ${min} characters`;
}

/** The specification counts characters, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
