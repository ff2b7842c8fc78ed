import { parsePartialJson } from "@capstan/providers/partial-json";
import type { JsonValue } from "@capstan/kernel";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixturesNote, readFixture } from "./fixtures-harness/fixtures.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

interface RepairCase {
  readonly input: string;
  readonly state: "value" | "no-value";
  readonly value?: JsonValue;
}

const { cases } = (readFixture("partial-json/fix-json.json") ?? { cases: [] }) as unknown as {
  readonly cases: readonly RepairCase[];
};

describe.skipIf(cases.length === 0)(`texts that another project repairs${fixturesNote}`, () => {
  test.each(cases)("$input", ({ input, value }) => {
    expect(parsePartialJson(input)).toEqual(value);
  });
});

test.each<[string, JsonValue | undefined]>([
  ["", undefined],
  [" ", undefined],
  ["-", undefined],
  ['{"path":"src/in', { path: "src/in" }],
  ['{"a":1,"b', { a: 1 }],
  ['{"a":1,"b"', { a: 1 }],
  ['{"a":-', {}],
  ['{"a":0.5e+', { a: 0.5 }],
  ['{"__proto__":{"x":1', JSON.parse('{"__proto__":{"x":1}}') as JsonValue],
  ['["\\', [""]],
  ['["\\\\', ["\\"]],
  ['["\\\\\\', ["\\"]],
  ['["\\"', ['"']],
  ['["a\\u00e', ["a"]],
  ['["a\\u00e4', ["aä"]],
  ['["a\\\\u00e', ["a\\u00e"]],
  ['["\\ud83d', [""]],
  ['["\\ud83d\\ude0', [""]],
  ['["\\ud83d\\ude00', ["😀"]],
  [`["${"😀".slice(0, 1)}`, [""]],
  ['["\\\\ud83d', ["\\ud83d"]],
  ['["a","b', ["a", "b"]],
  ['["a", tr', ["a", true]],
  ['{"a":1} trailing', { a: 1 }],
])("%j is shown as %j", (text, value) => {
  expect(parsePartialJson(text)).toEqual(value);
});

test.each(["}", "]", "nonsense", "{1", '{"a" "b', "[1 2", "[,1", '{"a":1]', "\\", '{"a":"\n'])(
  "%j is no beginning of JSON, and nothing to show or little",
  (text) => {
    expect(() => parsePartialJson(text)).not.toThrow();
  },
);

test("every beginning of any document is shown, and the whole is the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);

      const shown = Array.from(text, (_, end) => parsePartialJson(text.slice(0, end)));

      expect(parsePartialJson(text)).toEqual(JSON.parse(text));
      expect(parsePartialJson(`${text} `)).toEqual(JSON.parse(text));
      // Once there is something to show there always is.
      const first = shown.findIndex((one) => one !== undefined);
      expect(shown.slice(first === -1 ? shown.length : first)).not.toContain(undefined);
    }),
    { numRuns },
  );
}, 600_000);

test("strings grow, and are never shown with what is not in them", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, fc.boolean(), (value, isEscaped) => {
      const json = JSON.stringify([value]);
      const written = isEscaped ? json.replace(/[^ -~]/g, toEscape) : json;

      const shown = Array.from(written, (_, end) => parsePartialJson(written.slice(0, end)));

      const strings = shown.flatMap((list) => (Array.isArray(list) ? (list as string[]) : []));
      expect(strings.filter((one) => !value.startsWith(one))).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

test("anything at all is taken without an error", () => {
  const piece = fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "1", "-", "t", "e", " ");
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join("")),
      (text) => {
        expect(() => parsePartialJson(text)).not.toThrow();
      },
    ),
    { numRuns },
  );
}, 600_000);

test.each([
  ["a long string", `{"text":"${"x".repeat(5_000_000)}`],
  ["many backslashes", `["${"\\".repeat(5_000_000)}`],
  ["many quotes", `["${'\\"'.repeat(2_000_000)}`],
  ["many values", `[${"1,".repeat(2_000_000)}`],
  ["a long word", "1".repeat(2_000_000)],
  ["a deep nest", "[".repeat(100_000)],
])("%s takes linear time", (_name, text) => {
  // Quadratic, this would take minutes and end in the timeout of the test.
  expect(() => parsePartialJson(text)).not.toThrow();
});
