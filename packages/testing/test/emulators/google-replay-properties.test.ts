import type { JsonValue } from "@capstan/kernel";
import { callTool, reply, say, think } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { googleEmulator } from "@capstan/testing/emulators";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { askGoogle } from "./exchange.ts";
import { user } from "./google-request.ts";

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string };
}

interface Response {
  readonly candidates: readonly { readonly content: { readonly parts: readonly Part[] } }[];
}

/** More of them on demand, as in `PROPERTY_RUNS=2000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 20);

const text = fc.string({ minLength: 1, unit: "grapheme" });
const deltas = fc.array(text, { minLength: 1, maxLength: 3 });
const prose = fc.oneof(
  deltas.map((said): ScriptItem => say(said)),
  deltas.map((thought): ScriptItem => think(thought)),
);
const call = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4))
  .map(([input, argumentDeltas]): ScriptItem =>
    callTool("echo", input as JsonValue, { argumentDeltas }),
  );
/** Some of everything, and a call at the end, so that there is something to answer; the last one only talks. */
const step = fc
  .tuple(fc.array(fc.oneof(prose, call), { maxLength: 4 }), call)
  .map(([items, last]) => reply(...items, last));
const script = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 4 }), fc.array(prose, { minLength: 1 }))
  .map(([steps, last]) => [...steps, reply(...last)]);

const methods = {
  events: "streamGenerateContent?alt=sse",
  array: "streamGenerateContent",
  whole: "generateContent",
} as const;

/** Sends back what comes, part by part, with an answer to every call, until the script is at its end. */
async function talk(model: string, steps: readonly ScriptItem[], way: keyof typeof methods) {
  await using emulator = await googleEmulator([...steps, say("Bye")]);
  const contents: JsonValue[] = [user()];
  const said: (readonly Part[])[] = [];
  for (const _ of [...steps, "bye"]) {
    const body = {
      contents,
      tools: [{ functionDeclarations: [{ name: "echo" }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    };
    const answer = await askGoogle(emulator, body, { model, method: methods[way] });
    expect(answer.status, answer.text).toBe(200);
    const parts = responsesOf(answer.text, way).flatMap(
      ({ candidates }) => candidates[0]?.content.parts ?? [],
    );
    const results = parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [{ functionResponse: { ...idOf(functionCall), name: functionCall.name, response: {} } }],
    );
    const next = results.length === 0 ? user("And?") : { role: "user", parts: results };
    contents.push({ role: "model", parts: parts as unknown as JsonValue }, next);
    said.push(parts);
  }
  emulator.assertComplete();
  return said.map(merged);
}

function idOf({ id }: { readonly id?: string }) {
  return id === undefined ? {} : { id };
}

function responsesOf(answer: string, way: keyof typeof methods): readonly Response[] {
  if (way === "array") return JSON.parse(answer) as Response[];
  if (way === "whole") return [JSON.parse(answer) as Response];
  return answer
    .split("\r\n\r\n")
    .filter(Boolean)
    .map((event) => JSON.parse(event.slice("data: ".length)) as Response);
}

/** Texts of one kind that stand side by side are one; signatures are never the same twice. */
function merged(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const { thoughtSignature, ...part } of parts) {
    const signed = thoughtSignature === undefined ? {} : { thoughtSignature: "…" };
    const last = whole.at(-1);
    const isMore =
      last?.text !== undefined && part.text !== undefined && last.thought === part.thought;
    if (isMore) whole[whole.length - 1] = { ...last, text: last.text + part.text, ...signed };
    else if (part.text !== "" || thoughtSignature !== undefined) whole.push({ ...part, ...signed });
  }
  return whole;
}

test.each(["gemini-3.5-flash", "gemini-2.5-flash"])(
  "whatever %s says may go back as it came, and is the same in a stream of either kind and in one piece",
  async (model) => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const events = await talk(model, steps, "events");
        const array = await talk(model, steps, "array");
        const whole = await talk(model, steps, "whole");

        expect(events).toEqual(whole);
        expect(array).toEqual(whole);
      }),
      { numRuns },
    );
  },
);
