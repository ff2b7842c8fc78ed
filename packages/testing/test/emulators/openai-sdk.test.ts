import {
  callTool,
  failAfter,
  finish,
  native,
  refuse,
  reply,
  say,
  think,
  usage,
} from "@capstan/testing";
import { commentary, openAiResponsesEmulator } from "@capstan/testing/emulators";
import type { EmulatorScriptItem } from "@capstan/testing/emulators";
import OpenAI from "openai";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";

const question: ResponseCreateParamsNonStreaming = {
  model: "gpt-5.5",
  input: "Where is it warm?",
  store: false,
  include: ["reasoning.encrypted_content"],
};
const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "weather",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

async function start(script: readonly EmulatorScriptItem[]) {
  const emulator = await openAiResponsesEmulator(script, { apiKey: "key" });
  const client = new OpenAI({ apiKey: "key", baseURL: emulator.url, maxRetries: 0 });
  return { emulator, client, [Symbol.asyncDispose]: () => emulator.close() };
}

/** Response at the end of the stream: the client's own helper adds fields that the service does not accept back. */
async function streamed(
  client: OpenAI,
  params: ResponseCreateParamsNonStreaming,
): Promise<Response> {
  const events = await Array.fromAsync(await client.responses.create({ ...params, stream: true }));
  const last = events.at(-1);
  expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
  expect(last?.type).toMatch(/^response\.(completed|incomplete)$/);
  return (last as OpenAI.Responses.ResponseCompletedEvent).response;
}

const ways = [
  [
    "in one piece",
    (client: OpenAI, params: ResponseCreateParamsNonStreaming) => client.responses.create(params),
  ],
  ["as a stream", streamed],
  [
    "by its helper",
    (client: OpenAI, params: ResponseCreateParamsNonStreaming) =>
      client.responses.stream({ ...params, stream: true }).finalResponse(),
  ],
] as const;

describe.each(ways)("the official client, %s", (_, ask) => {
  test("reads a text, that it is complete, and what it cost", async () => {
    await using world = await start([say(["In ", "Rome."])]);

    const response = await ask(world.client, question);

    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model: "gpt-5.5",
      output: [{ type: "message", content: [{ type: "output_text", text: "In Rome." }] }],
      usage: { output_tokens: 2, output_tokens_details: { reasoning_tokens: 0 } },
    });
    expect(response.usage?.input_tokens).toBeGreaterThan(0);
    world.emulator.assertComplete();
  });

  test("is given the counts that the script names", async () => {
    const counts = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, reasoningTokens: 3 };
    await using world = await start([reply(say("Here."), usage(counts))]);

    const response = await ask(world.client, question);

    expect(response.usage).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 107,
    });
  });

  test("sees reasoning, its summary where it asks for one, and content to send back likewise", async () => {
    await using world = await start([
      reply(think(["Rome ", "or Oslo?"]), say("Rome.")),
      reply(think("Rome or Oslo?"), say("Rome.")),
    ]);

    const shown = await ask(world.client, { ...question, reasoning: { summary: "auto" } });
    const hidden = await ask(world.client, { ...question, include: [] });

    expect(shown.output[0]).toMatchObject({
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Rome or Oslo?" }],
      encrypted_content: expect.stringMatching(/^gAAAAAB/) as string,
    });
    expect(hidden.output[0]).toMatchObject({ type: "reasoning", summary: [] });
    expect(hidden.output[0]).not.toHaveProperty("encrypted_content");
  });

  test("reads structured output", async () => {
    await using world = await start([say('{"city":"Rome"}')]);

    const response = await ask(world.client, {
      ...question,
      text: {
        format: {
          type: "json_schema",
          name: "place",
          strict: true,
          schema: weather.parameters ?? {},
        },
      },
    });

    expect(response.output_text ?? textOf(response)).toBe('{"city":"Rome"}');
  });

  test("is told of a refusal, of a cut and of a filter", async () => {
    await using world = await start([
      refuse("I would rather not."),
      reply(say("In Ro"), finish("length")),
      reply(say("In Ro"), finish("content-filter")),
    ]);

    const refused = await ask(world.client, question);
    const cut = await ask(world.client, question);
    const filtered = await ask(world.client, question);

    expect(refused.output).toMatchObject([
      { type: "message", content: [{ type: "refusal", refusal: "I would rather not." }] },
    ]);
    expect(cut).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
    expect(filtered.incomplete_details).toEqual({ reason: "content_filter" });
  });

  test("gets a native item as it is", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    await using world = await start([reply(native(search), say("Rome."))]);

    const response = await ask(world.client, question);

    expect(response.output[0]).toMatchObject(search);
  });

  test("says on the way and in the end, where the model has both", async () => {
    await using world = await start([
      reply(commentary("Let me see."), say("Rome.")),
      reply(commentary("Let me see."), say("Rome.")),
    ]);

    const now = await ask(world.client, question);
    const once = await ask(world.client, { model: "gpt-4.1", input: "Where is it warm?" });

    expect(now.output).toMatchObject([{ phase: "commentary" }, { phase: "final_answer" }]);
    expect(once.output[0]).not.toHaveProperty("phase");
  });

  test("throws its own error when the service fails in the middle", async () => {
    await using world = await start([failAfter(say("In Ro"), "overloaded")]);

    const asked = ask(world.client, question);

    await expect(asked).rejects.toMatchObject({ code: "server_is_overloaded" });
  });
});

describe.each(ways.slice(0, 2))("the official client, %s", (_, ask) => {
  test("goes through a loop of parallel calls by sending back what it got", async () => {
    await using world = await start([
      reply(
        think("Two cities."),
        commentary("Let me see."),
        callTool("weather", { city: "Rome" }, { argumentDeltas: 3 }),
        callTool("weather", { city: "Oslo" }),
      ),
      reply(think("Rome it is."), callTool("weather", { city: "Rome" })),
      say("Rome."),
    ]);
    const input: ResponseInputItem[] = [{ role: "user", content: "Where is it warm?" }];
    const step = async () => {
      const { output } = await ask(world.client, { ...question, input, tools: [weather] });
      const calls = output.filter((item) => item.type === "function_call");
      input.push(...(output as ResponseInputItem[]));
      for (const { call_id } of calls) {
        input.push({ type: "function_call_output", call_id, output: "20" });
      }
      return {
        types: output.map(({ type }) => type),
        calls: calls.map((call) => call.arguments),
      };
    };

    const steps = [await step(), await step(), await step()];

    expect(steps).toEqual([
      {
        types: ["reasoning", "message", "function_call", "function_call"],
        calls: ['{"city":"Rome"}', '{"city":"Oslo"}'],
      },
      { types: ["reasoning", "function_call"], calls: ['{"city":"Rome"}'] },
      { types: ["message"], calls: [] },
    ]);
    expect(world.emulator.refusals).toEqual([]);
    world.emulator.assertComplete();
  });
});

test("what the official client's helper adds to a reply is not taken back", async () => {
  await using world = await start([say("Rome.")]);
  const { output } = await world.client.responses
    .stream({ ...question, stream: true })
    .finalResponse();

  const asked = world.client.responses.create({
    ...question,
    input: [...(output as ResponseInputItem[]), { role: "user", content: "Sure?" }],
  });

  await expect(asked).rejects.toThrow("Unknown parameter: 'input[0].content[0].parsed'.");
});

function textOf({ output }: Response): string {
  const [item] = output;
  const part = item?.type === "message" ? item.content[0] : undefined;
  return part?.type === "output_text" ? part.text : "";
}

test("the official client goes on from a response that the service kept", async () => {
  await using world = await start([
    reply(think("Hm."), callTool("weather", { city: "Rome" })),
    say("20."),
  ]);
  const kept = { ...question, store: true, tools: [weather] };

  const first = await world.client.responses.create(kept);
  const call = first.output.find((item) => item.type === "function_call");
  const second = await world.client.responses.create({
    ...kept,
    previous_response_id: first.id,
    input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "20" }],
  });

  expect(second.output_text).toBe("20.");
  expect(second.previous_response_id).toBe(first.id);
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
  const stream = await world.client.responses.create({ ...question, stream: true });

  for await (const event of stream) {
    if (event.type === "response.output_text.delta") stream.controller.abort();
  }

  await left.promise;
  expect(world.emulator.refusals).toEqual([]);
});
