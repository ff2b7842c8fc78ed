import { callTool, failAfter, finish, refuse, reply, say, think, usage } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import type { EmulatorScriptItem } from "@capstan/testing/emulators";
import OpenAI, { APIError } from "openai";
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";

type Params = ChatCompletionCreateParamsNonStreaming;

const question: Params = {
  model: "gpt-5",
  messages: [{ role: "user", content: "Where is it warm?" }],
};
const weather: OpenAI.Chat.ChatCompletionFunctionTool = {
  type: "function",
  function: {
    name: "weather",
    strict: true,
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
};

async function start(script: readonly EmulatorScriptItem[]) {
  const emulator = await openAiChatEmulator(script, { apiKey: "key" });
  const client = new OpenAI({ apiKey: "key", baseURL: emulator.url, maxRetries: 0 });
  return { emulator, client, [Symbol.asyncDispose]: () => emulator.close() };
}

const ways = [
  ["in one piece", (client: OpenAI, params: Params) => client.chat.completions.create(params)],
  [
    "as a stream, by its helper",
    (client: OpenAI, params: Params): Promise<ChatCompletion> =>
      client.chat.completions
        .stream({ ...params, stream: true, stream_options: { include_usage: true } })
        .finalChatCompletion(),
  ],
] as const;

describe.each(ways)("the official client, %s", (_, ask) => {
  test("reads a text, why it ends, and what it cost", async () => {
    await using world = await start([say(["In ", "Rome."])]);

    const completion = await ask(world.client, question);

    expect(completion).toMatchObject({
      object: "chat.completion",
      model: "gpt-5",
      choices: [{ message: { role: "assistant", content: "In Rome." }, finish_reason: "stop" }],
      usage: { completion_tokens: 2 },
    });
    expect(completion.usage?.prompt_tokens).toBeGreaterThan(0);
    world.emulator.assertComplete();
  });

  test("is given the counts that the script names", async () => {
    const counts = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, reasoningTokens: 3 };
    await using world = await start([reply(say("Here."), usage(counts))]);

    const completion = await ask(world.client, question);

    expect(completion.usage).toMatchObject({
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens: 7,
      completion_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 107,
    });
  });

  test("sees of reasoning only what it cost", async () => {
    await using world = await start([reply(think("Rome or Oslo?"), say("Rome."))]);

    const completion = await ask(world.client, question);

    expect(JSON.stringify(completion)).not.toContain("Oslo");
    expect(completion.usage?.completion_tokens_details?.reasoning_tokens).toBe(4);
  });

  test("is told of a refusal, of a cut and of a filter", async () => {
    await using world = await start([
      refuse("I would rather not."),
      reply(say("In Ro"), finish("length")),
      reply(say("In Ro"), finish("content-filter")),
    ]);
    // The helper refuses to hand out a reply that was cut.
    const whole = (params: Params) => world.client.chat.completions.create(params);

    const refused = await ask(world.client, question);
    const cut = await whole(question);
    const filtered = await whole(question);

    expect(refused.choices[0]?.message).toMatchObject({
      content: null,
      refusal: "I would rather not.",
    });
    expect([cut.choices[0]?.finish_reason, filtered.choices[0]?.finish_reason]).toEqual([
      "length",
      "content_filter",
    ]);
  });

  test("throws its own error when the service fails in the middle", async () => {
    await using world = await start([failAfter(say("In Ro"), "overloaded")]);

    const asked = ask(world.client, question);

    await expect(asked).rejects.toMatchObject({ code: "server_is_overloaded" });
    await expect(asked).rejects.toBeInstanceOf(APIError);
  });
});

/** The message of a stream, put together from its chunks and nothing else. */
async function streamed(client: OpenAI, params: Params) {
  const chunks = await Array.fromAsync(
    await client.chat.completions.create({ ...params, stream: true }),
  );
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] =
    [];
  for (const { index, id, function: called } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const before = calls[index] ?? {
      id: id ?? "",
      type: "function",
      function: { name: called?.name ?? "", arguments: "" },
    };
    before.function.arguments += called?.arguments ?? "";
    calls[index] = before;
  }
  const content = deltas.map((delta) => delta.content ?? "").join("");
  return { role: "assistant" as const, content, ...(calls.length > 0 && { tool_calls: calls }) };
}

describe.each([
  [
    "in one piece",
    async (client: OpenAI, params: Params) =>
      (await client.chat.completions.create(params)).choices[0]?.message,
  ],
  ["as a stream", streamed],
] as const)("the official client, %s", (_, ask) => {
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
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Where is it warm?" }];
    const step = async () => {
      const message = await ask(world.client, { ...question, messages, tools: [weather] });
      const calls = (message?.tool_calls ?? []).filter((call) => call.type === "function");
      messages.push(message as ChatCompletionMessageParam);
      for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: "20" });
      return [message?.content ?? "", ...calls.map((call) => call.function.arguments)];
    };

    const steps = [await step(), await step(), await step()];

    expect(steps).toEqual([
      ["Let me see.", '{"city":"Rome"}', '{"city":"Oslo"}'],
      ["", '{"city":"Rome"}'],
      ["Rome."],
    ]);
    expect(world.emulator.refusals).toEqual([]);
    world.emulator.assertComplete();
  });
});

test("the official client parses structured output", async () => {
  await using world = await start([say('{"city":"Rome"}')]);

  const { choices } = await world.client.chat.completions.parse({
    ...question,
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "place",
        strict: true,
        schema: weather.function.parameters ?? {},
      },
    },
  });

  expect(choices[0]?.message.parsed).toEqual({ city: "Rome" });
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
  const stream = await world.client.chat.completions.create({ ...question, stream: true });

  for await (const { choices } of stream) {
    if (choices[0]?.delta.content === "In") stream.controller.abort();
  }

  await left.promise;
  expect(world.emulator.refusals).toEqual([]);
});
