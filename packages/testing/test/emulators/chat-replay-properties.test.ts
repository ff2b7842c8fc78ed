import type { JsonValue } from "@capstan/kernel";
import { callTool, refuse, reply, say, think } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import type { ChatDialectName } from "@capstan/testing/emulators";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { echo, user } from "./chat-request.ts";
import { assembleChat } from "./chat-stream.ts";
import type { ChatMessageBody } from "./chat-stream.ts";
import { askChat } from "./exchange.ts";

/** More of them on demand, as in `PROPERTY_RUNS=2000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 20);

const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((said) => said.trim() !== "");
const deltas = fc.array(text, { minLength: 1, maxLength: 3 });
const prose = fc.oneof(
  deltas.map((said): ScriptItem => say(said)),
  deltas.map((thought): ScriptItem => think(thought)),
  text.map((said): ScriptItem => refuse(said)),
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
async function talk(
  dialect: ChatDialectName,
  model: string,
  steps: readonly ScriptItem[],
  stream: boolean,
): Promise<ChatMessageBody[]> {
  await using emulator = await openAiChatEmulator(steps, { dialect });
  const messages: JsonValue[] = [user];
  const said: ChatMessageBody[] = [];
  for (const _ of steps) {
    const answer = await askChat(emulator, { model, messages, tools: [echo], stream });
    expect(answer.status, answer.text).toBe(200);
    const message = stream ? assembleChat(answer.text) : wholeOf(answer.json);
    const results = (message.tool_calls ?? []).map(({ id }) => ({
      role: "tool",
      tool_call_id: id,
      content: "ok",
    }));
    messages.push(message as unknown as JsonValue, ...results);
    said.push(message);
  }
  emulator.assertComplete();
  return said;
}

function wholeOf(json: Readonly<Record<string, unknown>>): ChatMessageBody {
  const { choices } = json as { choices: readonly { message: ChatMessageBody }[] };
  return choices[0]?.message ?? { role: "assistant" };
}

/** Without what is never the same twice, and what says nothing. */
function plain(said: readonly ChatMessageBody[]): unknown {
  return JSON.parse(
    JSON.stringify(said, (key: string, value: unknown) => {
      if (key === "signature") return "…";
      return value === null || value === "" ? undefined : value;
    }),
  );
}

test.each<readonly [ChatDialectName, string]>([
  ["openai", "gpt-4.1"],
  ["mistral", "mistral-small-latest"],
  ["deepseek", "deepseek-v4-pro"],
  ["openrouter", "anthropic/claude-haiku-4.5"],
  ["groq", "openai/gpt-oss-120b"],
  ["ollama", "gpt-oss:120b"],
])(
  "whatever %s says may go back as it came, and is the same as a stream and in one piece",
  async (dialect, model) => {
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const streamed = await talk(dialect, model, steps, true);
        const whole = await talk(dialect, model, steps, false);

        expect(plain(streamed)).toEqual(plain(whole));
      }),
      { numRuns },
    );
  },
);
