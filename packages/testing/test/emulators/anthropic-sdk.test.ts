import Anthropic, { APIUserAbortError } from "@anthropic-ai/sdk";
import type {
  MessageCreateParamsNonStreaming,
  MessageParam,
} from "@anthropic-ai/sdk/resources/messages";
import {
  callTool,
  failAfter,
  finish,
  native,
  pause,
  refuse,
  reply,
  say,
  think,
  usage,
} from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import type { EmulatorScriptItem } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";

const question: MessageCreateParamsNonStreaming = {
  model: "claude-fable-5-1",
  max_tokens: 1000,
  messages: [{ role: "user", content: "Where is it warm?" }],
};
const weather: Anthropic.Tool = {
  name: "weather",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
};

async function start(script: readonly EmulatorScriptItem[]) {
  const emulator = await anthropicEmulator(script, { apiKey: "key" });
  const client = new Anthropic({ apiKey: "key", baseURL: emulator.url, maxRetries: 0 });
  return { emulator, client, [Symbol.asyncDispose]: () => emulator.close() };
}

/** Both ways to ask have to give the same message. */
const ways = [
  [
    "in one piece",
    (client: Anthropic, params: MessageCreateParamsNonStreaming) => client.messages.create(params),
  ],
  [
    "as a stream",
    (client: Anthropic, params: MessageCreateParamsNonStreaming) =>
      client.messages.stream(params).finalMessage(),
  ],
] as const;

describe.each(ways)("the official client, %s", (_, ask) => {
  test("reads a text, why it ended, and what it cost", async () => {
    await using world = await start([say(["In ", "Rome."])]);

    const message = await ask(world.client, question);

    expect(message).toMatchObject({
      role: "assistant",
      model: "claude-fable-5-1",
      content: [{ type: "text", text: "In Rome." }],
      stop_reason: "end_turn",
      usage: { output_tokens: 2, cache_read_input_tokens: 0 },
    });
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    world.emulator.assertComplete();
  });

  test("is given the counts that the script names", async () => {
    const counts = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 30 };
    await using world = await start([reply(usage(counts), say("Here."))]);

    const message = await ask(world.client, question);

    expect(message.usage).toMatchObject({
      input_tokens: 10,
      output_tokens: 7,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
    });
  });

  test("sees thinking with its signature, and its text only where it asks for it", async () => {
    await using world = await start([
      reply(think(["Rome ", "or Oslo?"]), say("Rome.")),
      reply(think("Rome or Oslo?"), say("Rome.")),
    ]);

    const shown = await ask(world.client, {
      ...question,
      thinking: { type: "adaptive", display: "summarized" },
    });
    const hidden = await ask(world.client, question);

    const signature: unknown = expect.stringMatching(/^Er/);
    expect(shown.content[0]).toEqual({ type: "thinking", thinking: "Rome or Oslo?", signature });
    expect(hidden.content[0]).toEqual({ type: "thinking", thinking: "", signature });
  });

  test("goes through a loop of parallel calls by sending back what it got", async () => {
    await using world = await start([
      reply(
        think("Two cities."),
        say("Let me see."),
        callTool("weather", { city: "Rome" }, { argumentDeltas: 3 }),
        callTool("weather", { city: "Oslo" }),
      ),
      reply(think("Rome it is."), callTool("weather")),
      say("Rome."),
    ]);
    const messages: MessageParam[] = [...question.messages];
    const step = async () => {
      const message = await ask(world.client, { ...question, messages, tools: [weather] });
      const calls = message.content.filter((block) => block.type === "tool_use");
      messages.push({ role: "assistant", content: message.content });
      messages.push({
        role: "user",
        content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "20" })),
      });
      return { stop: message.stop_reason, inputs: calls.map(({ input }) => input) };
    };

    const steps = [await step(), await step(), await step()];

    expect(steps).toEqual([
      { stop: "tool_use", inputs: [{ city: "Rome" }, { city: "Oslo" }] },
      { stop: "tool_use", inputs: [{}] },
      { stop: "end_turn", inputs: [] },
    ]);
    expect(world.emulator.refusals).toEqual([]);
    world.emulator.assertComplete();
  });

  test("reads structured output", async () => {
    await using world = await start([say('{"city":"Rome"}')]);
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };

    const message = await ask(world.client, {
      ...question,
      output_config: { format: { type: "json_schema", schema } },
    });

    expect(message.content).toEqual([{ type: "text", text: '{"city":"Rome"}' }]);
  });

  test("is told of a refusal, of a cut, of a pause and of a stop sequence", async () => {
    await using world = await start([
      refuse("I would rather not."),
      reply(say("In Ro"), finish("length")),
      reply(callTool("web_search", { query: "Rome" }, { providerExecuted: true }), pause()),
      reply(say("In Rome"), finish("stop_sequence")),
    ]);
    const params = { ...question, stop_sequences: ["!"] };

    const refused = await ask(world.client, params);
    const cut = await ask(world.client, params);
    const paused = await ask(world.client, params);
    const stopped = await ask(world.client, params);

    expect(refused.stop_reason).toBe("refusal");
    expect(refused.stop_details?.explanation).toBe("I would rather not.");
    expect(cut.stop_reason).toBe("max_tokens");
    expect(paused.stop_reason).toBe("pause_turn");
    expect(paused.content[0]).toMatchObject({ type: "server_tool_use", name: "web_search" });
    expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "!" });
  });

  test("can go on with a reply that was paused, even on a model that takes no prefill", async () => {
    await using world = await start([reply(say("Searching"), pause()), say(" done.")]);

    const paused = await ask(world.client, question);
    const messages: MessageParam[] = [
      ...question.messages,
      { role: "assistant", content: paused.content },
    ];
    const rest = await ask(world.client, { ...question, messages });

    expect(rest.content).toEqual([{ type: "text", text: " done." }]);
  });

  test("gets a native block as it is, and may send it back", async () => {
    const redacted = { type: "redacted_thinking", data: "b3BhcXVl" } as const;
    await using world = await start([reply(native(redacted), say("Rome.")), say("Yes.")]);

    const message = await ask(world.client, question);
    const messages: MessageParam[] = [
      ...question.messages,
      { role: "assistant", content: message.content },
      { role: "user", content: "Sure?" },
    ];
    await ask(world.client, { ...question, messages });

    expect(message.content[0]).toEqual(redacted);
    world.emulator.assertComplete();
  });

  test("throws its own error when the service fails in the middle", async () => {
    await using world = await start([failAfter(say("In Ro"), "overloaded")]);

    const asked = ask(world.client, question);

    await expect(asked).rejects.toMatchObject({ type: "overloaded_error" });
  });
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
  const stream = world.client.messages.stream(question);

  stream.once("text", () => stream.abort());

  await expect(stream.finalMessage()).rejects.toBeInstanceOf(APIUserAbortError);
  await left.promise;
  expect(world.emulator.refusals).toEqual([]);
});
