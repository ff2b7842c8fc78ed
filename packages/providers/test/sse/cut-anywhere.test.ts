import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8Decoder } from "../../src/sse/utf8-decoder.ts";
import { bytesOf, decodeAll } from "./decode.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 1_000);

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("", "1", '{"a":1}', "ü€😀", " x", ":", "\ufeff"),
);
const line = fc.oneof(
  { arbitrary: text.map((value) => `data: ${value}`), weight: 4 },
  text.map((value) => `data:${value}`),
  text.map((value) => `event: ${value}`),
  text.map((value) => `id: ${value}`),
  text.map((value) => `: ${value}`),
  text,
  fc.constantFrom("data", "event", "id", "retry: 10", "{", "}", '  "error": 1', "data :x"),
);
const lineEnd = fc.constantFrom("\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\n\r");
const stream = fc
  .tuple(
    fc.constantFrom("", "\ufeff"),
    fc.array(fc.tuple(line, lineEnd).map((pair) => pair.join(""))),
  )
  .map(([mark, lines]) => bytesOf(mark + lines.join("")));
/** Also with bytes that are no UTF-8. */
const anyStream = fc.oneof(
  stream,
  fc
    .tuple(stream, fc.uint8Array({ maxLength: 6 }), stream)
    .map((pieces) => new Uint8Array(Buffer.concat(pieces))),
);
const places = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });

function cut(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const cuts = [0, ...at.filter((place) => place < bytes.length), bytes.length];
  const sorted = cuts.toSorted((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.slice(sorted[index], end));
}

test("any cut of any stream decodes the same", () => {
  fc.assert(
    fc.property(anyStream, places, (bytes, at) => {
      expect(decodeAll(cut(bytes, at))).toEqual(decodeAll([bytes]));
    }),
    { numRuns },
  );
}, 600_000);

test("the events are those that another implementation of the standard reads", () => {
  fc.assert(
    fc.property(stream, (bytes) => {
      const others: (readonly [string, string])[] = [];
      const parser = createParser({
        onEvent: ({ event = "message", data }) => others.push([event, data]),
      });
      parser.feed(new TextDecoder().decode(bytes));

      const ours = decodeAll([bytes]).filter(({ isBare }) => !isBare);

      expect(ours.map(({ event, data }) => [event, data])).toEqual(others);
    }),
    { numRuns },
  );
}, 600_000);

test("any cut of any bytes is the text that they are as a whole", () => {
  fc.assert(
    fc.property(fc.oneof(anyStream, fc.uint8Array({ maxLength: 40 })), places, (bytes, at) => {
      const decoder = new Utf8Decoder();

      // The line end shows what is held back of a character that is cut off.
      const chunks = [...cut(bytes, at), bytesOf("\n")];
      const text = chunks.map((chunk) => decoder.decode(chunk)).join("");

      expect(text).toBe(new TextDecoder().decode(Buffer.concat(chunks)));
    }),
    { numRuns },
  );
}, 600_000);
