/** The answer of a turn while it is written. */
import type { Agent, Turn } from "@capstan/core";
import { createAgent, createSession } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import type { Fragment, ScriptItem } from "@capstan/testing";
import { callTool, echoTool, failAfter, say, scriptedProvider, stall } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { createWorld } from "./world.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);
const output = z.object({ city: z.string(), days: z.array(z.number()) });
const whole = '{"city":"Oslo","days":[1,23]}';

/** Says a text in pieces, each once the reader has taken what came before. */
class Pace {
  #release: () => void = () => {};

  say(...pieces: readonly string[]): Fragment {
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        this.#release = resolve;
      });
    return {
      label: "paced",
      async *play(reply) {
        for (const delta of pieces) {
          yield { type: "text_delta", delta };
          await reply.wait(next());
        }
      },
    };
  }

  async read({ partialOutput }: Pick<Turn, "partialOutput">): Promise<unknown[]> {
    const shown: unknown[] = [];
    for await (const partial of partialOutput) {
      shown.push(partial);
      this.#release();
    }
    return shown;
  }
}

function agentOf(script: readonly ScriptItem[], schema: z.ZodType = output): Agent {
  const model = scriptedProvider([...script]);
  return createAgent({ model, output: schema, tools: [echoTool()] });
}

test("the answer is shown as it is written, and the last value is the whole", async () => {
  const pace = new Pace();
  const script = [pace.say('{"city":', '"Os', 'lo","days":[1,', "23]}")];
  const turn = createSession({ agent: agentOf(script) }).send("Where?");

  const shown = await pace.read(turn);

  expect(shown).toEqual([
    {},
    { city: "Os" },
    { city: "Oslo", days: [1] },
    { city: "Oslo", days: [1, 23] },
  ]);
  expect((await turn.response).output).toEqual(shown.at(-1));
});

test("so is the answer of a turn without a session", async () => {
  const pace = new Pace();
  const turn = agentOf([pace.say('{"city":"Os', 'lo","days":[]}')]).runStream("Where?");

  const shown = await pace.read(turn);

  expect(shown).toEqual([{ city: "Os" }, { city: "Oslo", days: [] }]);
});

test("events and partial values have readers of their own, and there may be several of the latter", async () => {
  const turn = createSession({ agent: agentOf([say(whole)]) }).send("Where?");

  const [events, first, second] = await Promise.all([
    Array.fromAsync(turn),
    Array.fromAsync(turn.partialOutput),
    Array.fromAsync(turn.partialOutput),
  ]);

  expect(events.at(-1)).toMatchObject({ type: "turn_end" });
  expect([first.at(-1), second.at(-1)]).toEqual([JSON.parse(whole), JSON.parse(whole)]);
});

test("a value begins again when the model has to repair its answer", async () => {
  const pace = new Pace();
  const script = [pace.say('{"city":"Oslo"', "}"), pace.say('{"city":"Rome",', '"days":[]}')];
  const turn = createSession({ agent: agentOf(script) }).send("Where?");

  const shown = await pace.read(turn);

  expect(shown).toEqual([
    { city: "Oslo" },
    { city: "Oslo" },
    { city: "Rome" },
    { city: "Rome", days: [] },
  ]);
});

test("a value begins again when a reply is retried", async () => {
  const script = [failAfter(say('{"city":"Oslo"'), "overloaded"), say(whole)];
  const model = scriptedProvider(script);
  const agent = createAgent({ model, output, retry: { maxAttempts: 2, baseDelayMs: 0 } });
  const turn = createSession({ agent }).send("Where?");

  const shown = await Array.fromAsync(turn.partialOutput);

  expect(shown.at(-1)).toEqual(JSON.parse(whole));
});

test("texts that are no JSON, such as those before a tool call, are not shown", async () => {
  const script = [[say("Let me see."), callTool("echo")], say(whole)];
  const turn = createSession({ agent: agentOf(script) }).send("Where?");

  const shown = await Array.fromAsync(turn.partialOutput);

  expect(shown).toEqual([JSON.parse(whole)]);
});

test("an answer in a code fence is shown without it", async () => {
  const pace = new Pace();
  const script = [pace.say('```json\n{"city":"Os', 'lo","days":[]}', "\n```")];
  const turn = createSession({ agent: agentOf(script) }).send("Where?");

  const shown = await pace.read(turn);

  expect(shown.slice(0, 2)).toEqual([{ city: "Os" }, { city: "Oslo", days: [] }]);
  expect((await turn.response).output).toEqual(shown.at(-1));
});

test("the values end with the turn, also if it is aborted or fails", async () => {
  const turn = createSession({ agent: agentOf([[say('{"city":"Os'), stall()]]) }).send("Where?");
  const failing = createSession({ agent: agentOf([failAfter(say("{"), "auth")]) }).send("Where?");

  const shown: unknown[] = [];
  for await (const partial of turn.partialOutput) {
    shown.push(partial);
    turn.abort();
  }

  expect(shown).toEqual([{ city: "Os" }]);
  expect(await Array.fromAsync(failing.partialOutput)).toEqual([{}]);
});

test("an agent without a schema has no partial values", async () => {
  const agent = createAgent({ model: scriptedProvider([say(whole)]) });
  const turn = createSession({ agent }).send("Where?");

  expect(await Array.fromAsync(turn.partialOutput)).toEqual([]);
  expect((await turn.response).text).toBe(whole);
});

test("a reader that comes late gets the whole, also in another host", async () => {
  const world = createWorld([say(whole)], [], { output });
  const turn = world
    .host()
    .createSession({ agent: "helper", id: "s1" })
    .send("Where?", { id: "t1" });
  await turn.response;
  const again = (await world.host().open("s1")).send("Where?", { id: "t1" });

  expect(await Array.fromAsync(turn.partialOutput)).toEqual([JSON.parse(whole)]);
  expect(await Array.fromAsync(again.partialOutput)).toEqual([JSON.parse(whole)]);
});

test("a reader that joins a turn under way gets what is written so far", async () => {
  const pace = new Pace();
  const world = createWorld([pace.say('{"city":"Os', 'lo","days":[]}')], [], { output });
  const host = world.host();
  const turn = host.createSession({ agent: "helper", id: "s1" }).send("Where?");
  const [first] = await firstOf(turn);

  const joined = (await host.open("s1")).current;
  const shown = joined && (await pace.read(joined));

  expect(first).toEqual({ city: "Os" });
  expect(shown).toEqual([{ city: "Os" }, { city: "Oslo", days: [] }]);
});

async function firstOf({ partialOutput }: Pick<Turn, "partialOutput">): Promise<unknown[]> {
  for await (const partial of partialOutput) return [partial];
  return [];
}

test("every value is a beginning of the whole, however the answer is cut into pieces", async () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(json, lengths, fc.boolean(), async (value, cuts, isSlow) => {
      const text = JSON.stringify(value);
      const pieces = inPieces(text, cuts);
      const answer = isSlow ? slowly(pieces) : say(pieces);
      const turn = createSession({ agent: agentOf([answer], z.json()) }).send("Which?");

      const shown = await Array.fromAsync(turn.partialOutput);

      const final: unknown = JSON.parse(text);
      expect(shown.filter((partial) => !isBeginning(partial as JsonValue, final))).toEqual([]);
      expect(shown.at(-1)).toEqual(final);
      // The schema decides: z.json() drops a field named "__proto__".
      expect((await turn.response).output).toEqual(z.json().parse(final));
    }),
    {
      numRuns,
      examples: [
        [JSON.parse('{"__proto__":0}') as { readonly [field: string]: number }, [], false],
      ],
    },
  );
}, 120_000);

/** Leaves the reader time between the pieces, as a vendor does. */
function slowly(pieces: readonly string[]): Fragment {
  return {
    label: "slowly",
    async *play() {
      for (const delta of pieces) {
        yield { type: "text_delta", delta };
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Pieces of these lengths, and the rest. */
function inPieces(text: string, lengths: readonly number[]): readonly string[] {
  let at = 0;
  const pieces = lengths.map((length) => text.slice(at, (at += length)));
  return [...pieces, text.slice(at)].filter((piece) => piece !== "");
}

function isBeginning(partial: JsonValue, final: unknown): boolean {
  if (typeof partial === "string") return typeof final === "string" && final.startsWith(partial);
  if (typeof partial === "number") return typeof final === "number";
  if (typeof partial !== "object" || partial === null) return partial === final;
  if (typeof final !== "object" || final === null) return false;
  if (Array.isArray(partial) !== Array.isArray(final)) return false;
  return Object.entries(partial).every(
    ([field, value]) =>
      Object.hasOwn(final, field) && isBeginning(value, final[field as keyof typeof final]),
  );
}

test("a long answer in many pieces is parsed in linear time", async () => {
  const text = JSON.stringify({ city: "x".repeat(400_000), days: [] });
  const pieces = inPieces(
    text,
    Array.from({ length: 100_000 }, () => 4),
  );
  const turn = createSession({ agent: agentOf([say(pieces)]) }).send("Where?");

  const shown = await Array.fromAsync(turn.partialOutput);

  expect(shown.at(-1)).toEqual(JSON.parse(text));
  // Parsed for each piece, it would be read 20,000,000,000 characters.
  expect(shown.length).toBeLessThan(2_000);
});
