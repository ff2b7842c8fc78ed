import {
  callTool,
  callToolRaw,
  failAfter,
  finish,
  refuse,
  reply,
  say,
  think,
  usage,
} from "@capstan/testing";
import { blockedPrompt, googleEmulator } from "@capstan/testing/emulators";
import type { EmulatorScriptItem } from "@capstan/testing/emulators";
import { ApiError, GoogleGenAI } from "@google/genai";
import type {
  Content,
  GenerateContentParameters,
  GenerateContentResponse,
  Part,
} from "@google/genai";
import { describe, expect, test } from "vitest";

const question: GenerateContentParameters = {
  model: "gemini-3.5-flash",
  contents: "Where is it warm?",
};
const weather = {
  name: "weather",
  parametersJsonSchema: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  },
};

async function start(script: readonly EmulatorScriptItem[]) {
  const emulator = await googleEmulator(script, { apiKey: "key" });
  const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: emulator.url } });
  return { emulator, client, [Symbol.asyncDispose]: () => emulator.close() };
}

/** All that a client gets to see. */
interface Seen {
  readonly parts: readonly Part[];
  readonly last: GenerateContentResponse | undefined;
}

function partsOf(response: GenerateContentResponse): readonly Part[] {
  return response.candidates?.[0]?.content?.parts ?? [];
}

const ways = [
  [
    "in one piece",
    async (client: GoogleGenAI, params: GenerateContentParameters): Promise<Seen> => {
      const last = await client.models.generateContent(params);
      return { parts: partsOf(last), last };
    },
  ],
  [
    "as a stream",
    async (client: GoogleGenAI, params: GenerateContentParameters): Promise<Seen> => {
      const responses = await Array.fromAsync(await client.models.generateContentStream(params));
      return { parts: responses.flatMap(partsOf), last: responses.at(-1) };
    },
  ],
] as const;

function textOf({ parts }: Seen, thought = false): string {
  return parts
    .filter((part) => (part.thought ?? false) === thought)
    .map(({ text = "" }) => text)
    .join("");
}

describe.each(ways)("the official client, %s", (_, ask) => {
  test("reads a text, why it ends, and what it cost", async () => {
    await using world = await start([say(["In ", "Rome."])]);

    const seen = await ask(world.client, question);

    expect(textOf(seen)).toBe("In Rome.");
    expect(seen.last).toMatchObject({
      candidates: [{ finishReason: "STOP", index: 0 }],
      modelVersion: "gemini-3.5-flash",
      usageMetadata: { candidatesTokenCount: 2 },
    });
    world.emulator.assertComplete();
  });

  test("is given the counts that the script names, with thinking apart", async () => {
    const counts = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 60, reasoningTokens: 3 };
    await using world = await start([reply(say("Here."), usage(counts))]);

    const { last } = await ask(world.client, question);

    expect(last?.usageMetadata).toMatchObject({
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 3,
      totalTokenCount: 110,
    });
  });

  test("sees thoughts where it asks for them", async () => {
    const thoughtful = reply(think(["Rome ", "or Oslo?"]), say("Rome."));
    await using world = await start([thoughtful, thoughtful]);
    const config = { thinkingConfig: { includeThoughts: true } };

    const shown = await ask(world.client, { ...question, config });
    const hidden = await ask(world.client, question);

    expect([textOf(shown, true), textOf(shown)]).toEqual(["Rome or Oslo?", "Rome."]);
    expect([textOf(hidden, true), textOf(hidden)]).toEqual(["", "Rome."]);
    expect(hidden.last?.usageMetadata?.thoughtsTokenCount).toBe(4);
  });

  test("reads structured output", async () => {
    await using world = await start([say('{"city":"Rome"}')]);

    const seen = await ask(world.client, {
      ...question,
      config: {
        responseMimeType: "application/json",
        responseJsonSchema: weather.parametersJsonSchema,
      },
    });

    expect(JSON.parse(textOf(seen))).toEqual({ city: "Rome" });
  });

  test("goes through a loop of parallel calls by sending back what it got", async () => {
    await using world = await start([
      reply(
        think("Two cities."),
        say("Let me see."),
        callTool("weather", { city: "Rome" }, { argumentDeltas: 3 }),
        callTool("weather", { city: "Oslo" }),
      ),
      callTool("weather", { city: "Rome" }),
      say("Rome."),
    ]);
    const contents: Content[] = [{ role: "user", parts: [{ text: "Where is it warm?" }] }];
    const config = { tools: [{ functionDeclarations: [weather] }] };
    const step = async () => {
      const { parts } = await ask(world.client, { ...question, contents, config });
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
      const results = calls.map(({ id = "", name = "" }) => ({
        functionResponse: { id, name, response: { output: 20 } },
      }));
      contents.push({ role: "model", parts: [...parts] }, { role: "user", parts: results });
      return calls.map(({ args }) => args?.["city"]);
    };

    const steps = [await step(), await step(), await step()];

    expect(steps).toEqual([["Rome", "Oslo"], ["Rome"], []]);
    expect(world.emulator.refusals).toEqual([]);
    world.emulator.assertComplete();
  });

  test("is told of a refusal, of a cut, of a filter, and of a call that is none", async () => {
    await using world = await start([
      refuse("I would rather not."),
      reply(say("In Ro"), finish("length")),
      reply(say("In Ro"), finish("content-filter")),
      callToolRaw("weather", "{city"),
      reply(say("In Ro"), finish("RECITATION")),
    ]);

    const seen = await Promise.all(Array.from({ length: 5 }, () => ask(world.client, question)));

    expect(seen.map(({ last }) => last?.candidates?.[0]?.finishReason)).toEqual([
      "PROHIBITED_CONTENT",
      "MAX_TOKENS",
      "SAFETY",
      "MALFORMED_FUNCTION_CALL",
      "RECITATION",
    ]);
  });

  test("is told that its prompt was blocked", async () => {
    await using world = await start([blockedPrompt("SAFETY")]);

    const { last } = await ask(world.client, question);

    expect(last?.promptFeedback).toEqual({ blockReason: "SAFETY" });
    expect(last?.candidates).toBeUndefined();
  });

  test("fails when the service does so in the middle", async () => {
    await using world = await start([failAfter(say("In Ro"), "overloaded")]);

    const asked = ask(world.client, question);

    // In a stream the error is no event, and what the client makes of it depends on how it comes in.
    await expect(asked).rejects.toThrow(/overloaded|Incomplete JSON segment/);
  });
});

test("the official client has one class for all errors, with the status and the body", async () => {
  await using world = await start([]);
  const asked = world.client.models.generateContent({ ...question, model: "gemini-nonesuch" });

  await expect(asked).rejects.toBeInstanceOf(ApiError);
  await expect(asked).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining(
      "models/gemini-nonesuch is not found for API version v1beta",
    ) as string,
  });
});

test("the official client's chat keeps signatures by itself", async () => {
  await using world = await start([callTool("weather", { city: "Rome" }), say("Warm.")]);
  const config = { tools: [{ functionDeclarations: [weather] }] };
  const chat = world.client.chats.create({ model: "gemini-3.5-flash", config });

  const { functionCalls = [] } = await chat.sendMessage({ message: "How is Rome?" });
  const { text } = await chat.sendMessage({
    message: functionCalls.map(({ id = "", name = "" }) => ({
      functionResponse: { id, name, response: { output: 20 } },
    })),
  });

  expect(text).toBe("Warm.");
  expect(world.emulator.refusals).toEqual([]);
});

test("the official client's stream is left by an abort, and the emulator's answer ends with it", async () => {
  const left = Promise.withResolvers<void>();
  await using world = await start([
    (request) => {
      request.signal.addEventListener("abort", () => left.resolve(), { once: true });
      return reply(say("In"), async () => {
        await left.promise;
        return say(" Rome.");
      });
    },
  ]);
  const controller = new AbortController();
  const config = { abortSignal: controller.signal };
  const stream = await world.client.models.generateContentStream({ ...question, config });

  const reading = (async () => {
    for await (const { text } of stream) if (text === "In") controller.abort();
  })();

  await expect(reading).rejects.toThrow("abort");
  await left.promise;
  expect(world.emulator.refusals).toEqual([]);
});
