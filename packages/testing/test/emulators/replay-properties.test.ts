import type { JsonValue } from "@capstan/kernel";
import { callTool, reply, say, think } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { anthropicEmulator, commentary, openAiResponsesEmulator } from "@capstan/testing/emulators";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { echo as claudeEcho, newest } from "./anthropic-request.ts";
import { askClaude, askOpenAi } from "./exchange.ts";
import type { Answer } from "./exchange.ts";
import { echo as openAiEcho } from "./openai-request.ts";

type Block = Readonly<Record<string, JsonValue>>;

/** More of them on demand, as in `PROPERTY_RUNS=2000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 30);

const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((said) => said.trim() !== "");
const deltas = fc.array(text, { minLength: 1, maxLength: 3 });
const prose = fc.oneof(
  deltas.map((said): ScriptItem => say(said)),
  deltas.map((thought): ScriptItem => think(thought)),
  text.map((said): ScriptItem => commentary(said)),
);
const call = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4))
  .map(([input, argumentDeltas]): ScriptItem =>
    callTool("echo", input as JsonValue, { argumentDeltas }),
  );
/** Some of everything, and a call at the end, so that there is something to answer. */
const step = fc
  .tuple(fc.array(fc.oneof(prose, call), { maxLength: 4 }), call)
  .map(([items, last]) => reply(...items, last));
const script = fc.array(step, { minLength: 1, maxLength: 4 });

/** Sends back what comes, with an answer to every call, until the script is at its end. */
async function talkToClaude(steps: readonly ScriptItem[], stream: boolean) {
  await using emulator = await anthropicEmulator(steps);
  const messages: JsonValue[] = [{ role: "user", content: "Hi" }];
  const said: (readonly Block[])[] = [];
  for (const _ of steps) {
    const display = { type: "adaptive", display: "summarized" };
    const body = { ...newest, thinking: display, tools: [claudeEcho], messages };
    const answer = await askClaude(emulator, { ...body, stream });
    expect(answer.json["error"]).toBeUndefined();
    const content = stream ? blocksOf(answer) : (answer.json["content"] as readonly Block[]);
    const results = content
      .filter(({ type }) => type === "tool_use")
      .map(({ id = null }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
    messages.push({ role: "assistant", content }, { role: "user", content: results });
    said.push(content);
  }
  emulator.assertComplete();
  return said;
}

interface Event {
  readonly index: number;
  readonly content_block: Block;
  readonly delta: Readonly<Record<string, string>>;
}

function eventsOf({ text: stream }: Answer, type: string): Event[] {
  return stream
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as Event & { readonly type: string })
    .filter((event) => event.type === type);
}

/** Puts the blocks of a stream together, as any client does. */
function blocksOf(answer: Answer): Block[] {
  const deltasOf = eventsOf(answer, "content_block_delta");
  return eventsOf(answer, "content_block_start").map(({ index, content_block: block }) => {
    const said = (key: string) =>
      deltasOf
        .filter((event) => event.index === index)
        .map(({ delta }) => delta[key] ?? "")
        .join("");
    switch (block["type"]) {
      case "text":
        return { ...block, text: said("text") };
      case "thinking":
        return { ...block, thinking: said("thinking"), signature: said("signature") };
      default:
        return { ...block, input: JSON.parse(said("partial_json") || "{}") as JsonValue };
    }
  });
}

/** Without what is never the same twice. */
function plain(said: readonly (readonly Block[])[]): unknown {
  return JSON.parse(
    JSON.stringify(said, (key: string, value: unknown) =>
      key === "signature" || key === "encrypted_content" ? "…" : value,
    ),
  );
}

test("whatever Claude says may go back as it came, and is the same as a stream and in one piece", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const streamed = await talkToClaude(steps, true);
      const whole = await talkToClaude(steps, false);

      expect(plain(streamed)).toEqual(plain(whole));
    }),
    { numRuns },
  );
});

async function talkToOpenAi(steps: readonly ScriptItem[], stream: boolean) {
  await using emulator = await openAiResponsesEmulator(steps);
  const input: JsonValue[] = [{ role: "user", content: "Hi" }];
  const said: (readonly Block[])[] = [];
  for (const _ of steps) {
    const answer = await askOpenAi(emulator, {
      model: "gpt-5.5",
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto" },
      tools: [openAiEcho],
      input,
      stream,
    });
    expect(answer.json["error"] ?? null).toBeNull();
    const output = stream ? itemsOf(answer) : (answer.json["output"] as readonly Block[]);
    const outputs = output
      .filter(({ type }) => type === "function_call")
      .map(({ call_id = null }) => ({ type: "function_call_output", call_id, output: "ok" }));
    input.push(...output, ...outputs);
    said.push(output);
  }
  emulator.assertComplete();
  return said;
}

function itemsOf(answer: Answer): Block[] {
  return eventsOf(answer, "response.output_item.done").map(
    (event) => (event as unknown as { readonly item: Block }).item,
  );
}

test("whatever OpenAI says may go back as it came, and is the same as a stream and in one piece", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const streamed = await talkToOpenAi(steps, true);
      const whole = await talkToOpenAi(steps, false);

      expect(plain(streamed)).toEqual(plain(whole));
    }),
    { numRuns },
  );
});
