/** What every protocol has to bear: bytes that are none of its own, and recorded replies that something happened to. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import {
  array,
  assert,
  constantFrom,
  dictionary,
  double,
  infiniteStream,
  jsonValue,
  nat,
  oneof,
  property,
  tuple,
  uint8Array,
} from "fast-check";
import { describe, expect, test } from "vitest";
import type { Protocol, Target } from "../../src/wire/protocol.ts";
import type { SseEvent } from "../../src/sse/sse-decoder.ts";
import { SseDecoder } from "../../src/sse/sse-decoder.ts";
import { fixtureReplies, fixturesNote, hasFixtures } from "./fixtures.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);
const timeout = 5_000 + numRuns * 50;

export interface HostileOptions {
  readonly protocol: Protocol;
  readonly target: Target;
  /** The vendor's words for its events, and for the fields of events and whole replies. */
  readonly eventTypes: readonly string[];
  readonly fields: readonly string[];
}

interface Outcome {
  readonly parts: readonly ProviderPart[];
  readonly error: ProviderError | undefined;
}

/** Registers the tests: whatever comes in, a reply or a `ProviderError` comes out, and no call is finished from half its arguments. */
export function bearsHostileStreams({
  protocol,
  target,
  eventTypes,
  fields,
}: HostileOptions): void {
  const replies = fixtureReplies(protocol.id);
  const streams = replies.filter((reply) => reply.isStream && isShort(reply));
  const bodies = replies.filter((reply) => !reply.isStream && isShort(reply));

  test("any bytes are a reply or a ProviderError", { timeout }, () => {
    assert(
      property(uint8Array({ maxLength: 500 }), (bytes) => {
        expect(readStream(bytes).error).toBeInstanceOf(ProviderError);
      }),
      { numRuns },
    );
  });

  test("a million bytes at once are a ProviderError", { timeout }, () => {
    const bytes = new Uint8Array(1_000_000);
    for (let at = 0; at < bytes.length; at += 65_536) {
      crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    }

    expect(readStream(bytes).error).toBeInstanceOf(ProviderError);
  });

  test("any events are a reply or a ProviderError", { timeout }, () => {
    const event = tuple(
      constantFrom(...eventTypes),
      dictionary(constantFrom(...fields), jsonValue()),
    ).map(([type, values]) => ({ ...values, type }));

    assert(
      property(array(event, { maxLength: 20 }), (events) => {
        const text = events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
        expectOrder(readStream(new TextEncoder().encode(text)));
      }),
      { numRuns },
    );
  });

  test("any JSON is a reply or a ProviderError", { timeout }, () => {
    const body = oneof(jsonValue(), dictionary(constantFrom(...fields), jsonValue()));

    assert(
      property(body, (json) => expectOrder(readBody(json as JsonValue))),
      { numRuns },
    );
  });

  describe.runIf(hasFixtures)(`recorded streams that something happened to${fixturesNote}`, () => {
    const places = array(tuple(nat(), nat(255)), { minLength: 1, maxLength: 8 });

    test.runIf(streams.length > 0)(
      "changed bytes are a reply or a ProviderError",
      { timeout },
      () => {
        assert(
          property(constantFrom(...streams), places, ({ body }, changes) => {
            const changed = Uint8Array.from(body);
            for (const [place, byte] of changes) changed[place % changed.length] = byte;
            expectOrder(readStream(changed));
          }),
          { numRuns },
        );
      },
    );

    test.runIf(streams.length > 0)(
      "events that are lost, doubled or out of order are a reply or a ProviderError",
      { timeout },
      () => {
        const chances = infiniteStream(double({ noNaN: true, min: 0, max: 1 }));

        assert(
          property(constantFrom(...streams), chances, ({ body }, chance) => {
            const events = new TextDecoder().decode(body).split("\n\n");
            const shaken = events.flatMap((event) => shake(event, chance.next().value ?? 0));
            expectOrder(readStream(new TextEncoder().encode(shaken.join("\n\n"))));
          }),
          { numRuns },
        );
      },
    );

    test.runIf(bodies.length > 0)(
      "changed fields of a whole reply are a reply or a ProviderError",
      { timeout },
      () => {
        assert(
          property(constantFrom(...bodies), nat(), jsonValue(), ({ body }, place, value) => {
            const json = JSON.parse(new TextDecoder().decode(body)) as JsonValue;
            expectOrder(readBody(replaceAt(json, place, value as JsonValue)));
          }),
          { numRuns },
        );
      },
    );

    test.runIf(streams.length > 0)(
      "a call of a stream that breaks off anywhere is whole or not finished",
      { timeout },
      () => {
        assert(
          property(constantFrom(...streams), nat(), ({ body }, place) => {
            const whole = finishedCalls(readStream(body).parts);
            const cut = finishedCalls(readStream(body.subarray(0, place % body.length)).parts);
            expect(whole.slice(0, cut.length)).toEqual(cut);
          }),
          { numRuns },
        );
      },
    );
  });

  function readStream(bytes: Uint8Array): Outcome {
    const events: SseEvent[] = [];
    const parts: ProviderPart[] = [];
    const decoder = protocol.decoder(target);
    return outcome(parts, () => {
      const sse = new SseDecoder();
      sse.take(bytes, events);
      for (const event of events) decoder.take(event, parts);
      decoder.end(parts);
    });
  }

  function readBody(body: JsonValue): Outcome {
    const parts: ProviderPart[] = [];
    return outcome(parts, () => parts.push(...protocol.decodeBody(body, target)));
  }
}

/** Many are read again and again. */
function isShort({ body }: { readonly body: Uint8Array }): boolean {
  return body.length < 60_000;
}

function outcome(parts: readonly ProviderPart[], run: () => unknown): Outcome {
  try {
    run();
    return { parts, error: undefined };
  } catch (thrown) {
    if (thrown instanceof ProviderError) return { parts, error: thrown };
    throw thrown;
  }
}

/** The kernel refuses parts that stand where they cannot; a reply without an error has one end. */
function expectOrder({ parts, error }: Outcome): void {
  const open = new Set<number>();
  for (const part of parts) {
    if (part.type === "toolcall_start") open.add(part.index);
    if (part.type === "toolcall_delta") expect(open.has(part.index)).toBe(true);
    if (part.type === "toolcall_end") expect(open.delete(part.index)).toBe(true);
  }
  const ends = parts.filter(({ type }) => type === "finish").length;
  expect([ends, parts.at(-1)?.type === "finish"]).toEqual(error ? [0, false] : [1, true]);
}

function finishedCalls(parts: readonly ProviderPart[]): string[] {
  const json = new Map<number, string>();
  const finished: string[] = [];
  for (const part of parts) {
    if (part.type === "toolcall_start") json.set(part.index, "");
    if (part.type === "toolcall_delta") json.set(part.index, json.get(part.index) + part.delta);
    if (part.type === "toolcall_end") finished.push(json.get(part.index) ?? "");
  }
  return finished;
}

function shake(event: string, chance: number): string[] {
  if (chance < 0.03) return [];
  if (chance > 0.97) return [event, event];
  return chance > 0.94 ? [event.split("").toReversed().join("")] : [event];
}

/** JSON with another value at one of its places. */
function replaceAt(json: JsonValue, place: number, value: JsonValue): JsonValue {
  const count = countPlaces(json);
  let left = place % count;
  const text = JSON.stringify(json, (_, inner: unknown) => (left-- === 0 ? value : inner));
  return JSON.parse(text) as JsonValue;
}

function countPlaces(json: JsonValue): number {
  let count = 0;
  JSON.stringify(json, (_, inner: unknown) => {
    count++;
    return inner;
  });
  return count;
}
