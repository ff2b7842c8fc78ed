/** Recorded streams that end too early, at any of their bytes and in any way: what every protocol has to make of them. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import type { Protocol, Target } from "../../src/wire/protocol.ts";
import type { SseEvent } from "../../src/sse/sse-decoder.ts";
import { SseDecoder } from "../../src/sse/sse-decoder.ts";
import { fixtureReplies, fixturesNote, hasFixtures } from "./fixtures.ts";

/** Every byte of streams up to this size; of longer ones the borders of events and some bytes between them. */
const smallBytes = 4_000;
const samples = 40;
const timeout = 120_000;

export interface CutOptions {
  readonly protocol: Protocol;
  readonly target: Target;
  /** Whether the vendor's own end of the reply is the last word of these events; given is the data of each. */
  hasEnded(events: readonly string[]): boolean;
}

/** Ways to end after the cut. A reset is neither: the decoder hears no more, and its parts so far belong to both. */
const endings = ["end of file", "[DONE]"] as const;

interface Outcome {
  readonly parts: readonly ProviderPart[];
  readonly error: ProviderError | undefined;
}

/** Registers the tests. */
export function survivesCuts({ protocol, target, hasEnded }: CutOptions): void {
  const streams = fixtureReplies(protocol.id).filter(({ isStream }) => isStream);
  const named = streams.map((reply) => [reply.name, reply] as const);

  describe.runIf(hasFixtures && named.length > 0)(`recorded streams${fixturesNote}`, () => {
    test.each(named)("%s, cut anywhere, makes no call of its own", { timeout }, (_, { body }) => {
      const whole = callsIn(read(body, "").parts);

      const strange = cutsOf(body).flatMap((cut) =>
        endings.flatMap((ending) => {
          const calls = callsIn(read(body.subarray(0, cut), ending).parts);
          const added = calls.filter((call) => !whole.includes(call));
          return added.map((call) => `${cut} bytes, ${ending}: ${call}`);
        }),
      );

      expect(strange).toEqual([]);
    });

    test.each(named)("%s, cut before its end, is told as cut", { timeout }, (_, reply) => {
      const untold = cutsOf(reply.body).filter((cut) => {
        const bytes = reply.body.subarray(0, cut);
        const { error } = read(bytes, "end of file");
        if (error === undefined) return !hasEnded(dataOfEvents(bytes));
        // A recording may have an error of the vendor in it.
        return reply.expect.ok && error.code !== "network" && error.code !== "protocol";
      });

      expect(untold).toEqual([]);
    });
  });

  function read(bytes: Uint8Array, ending: string): Outcome {
    const parts: ProviderPart[] = [];
    const decoder = protocol.decoder(target);
    const sse = new SseDecoder();
    const events: SseEvent[] = [];
    sse.take(bytes, events);
    if (ending === "[DONE]") sse.take(done, events);
    sse.end(events);
    try {
      for (const event of events) decoder.take(event, parts);
      decoder.end(parts);
      return { parts, error: undefined };
    } catch (thrown) {
      if (thrown instanceof ProviderError) return { parts, error: thrown };
      throw thrown;
    }
  }
}

/** As proxies write it after whatever they got: on a line of its own, so that the event that was cut is one now. */
const done = new TextEncoder().encode("\n\ndata: [DONE]\n\n");

function dataOfEvents(bytes: Uint8Array): readonly string[] {
  const events: SseEvent[] = [];
  new SseDecoder().take(bytes, events);
  return events.map(({ data }) => data);
}

/** The lengths to cut at: never the whole. */
function cutsOf(body: Uint8Array): readonly number[] {
  if (body.length <= smallBytes) return Array.from({ length: body.length }, (_, length) => length);
  const step = Math.floor(body.length / samples);
  const sampled = Array.from({ length: samples }, (_, index) => index * step + (index % 7));
  const cuts = new Set([...bordersOf(body), ...sampled]);
  return [...cuts].filter((length) => length < body.length);
}

/** After every empty line. */
function bordersOf(body: Uint8Array): readonly number[] {
  const text = new TextDecoder("latin1").decode(body);
  return [...text.matchAll(/\r?\n\r?\n/g)].map(({ index, 0: border }) => index + border.length);
}

/** Calls that ended, with everything of them that a reader sees. */
function callsIn(parts: readonly ProviderPart[]): readonly string[] {
  const open = new Map<number, { readonly start: JsonValue; json: string }>();
  const calls: string[] = [];
  for (const part of parts) {
    if (part.type === "toolcall_start") {
      open.set(part.index, { start: [part.name, part.providerData ?? null], json: "" });
    }
    const call = "index" in part ? open.get(part.index) : undefined;
    if (part.type === "toolcall_delta" && call !== undefined) call.json += part.delta;
    if (part.type === "toolcall_end") {
      calls.push(JSON.stringify([call?.start, part.input ?? call?.json, part.providerData]));
    }
  }
  return calls;
}
