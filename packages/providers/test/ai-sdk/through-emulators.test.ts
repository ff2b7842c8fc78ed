import { createAnthropic } from "@ai-sdk/anthropic";
import { createAgent, createSession, defineTool } from "@capstan/core";
import {
  assertValidEvents,
  assertValidTranscript,
  callTool,
  cutToolCall,
  echoTool,
  failingTool,
  native,
  pause,
  say,
  stall,
  think,
  tinyImage,
  usage,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../src/anthropic.ts";
import { fromAiSdk, fromAiSdkTools } from "../../src/ai-sdk.ts";
import { refusalsOf, repliesIn, turnWith as turnWithNative } from "../emulated-turns.ts";
import { claude, gpt, turnWith, user, vendors } from "./emulated-models.ts";

const levels = [undefined, "off", "low", "high"] as const;
const settings = [claude, gpt].flatMap((vendor) =>
  vendor.models.flatMap((id) => levels.map((level) => [id, level, vendor] as const)),
);

test.each(settings)("%s at level %s takes a turn of several steps", async (id, level, vendor) => {
  await using emulator = await vendor.start([
    [think("Hm"), say("Looking."), callTool("echo", { a: 1 }), callTool("fail")],
    [callTool("echo", { a: 2 })],
    [think("Ah"), say("Done.")],
    say("Bye."),
  ]);
  const model = vendor.model(emulator, id);
  const tools = [echoTool(), failingTool()];
  const providerOpts = { systemPrompt: "Be brief.", ...(level && { thinkingLevel: level }) };

  const turn = await turnWith(model, { tools, providerOpts });
  const messages = [...turn.transcript, user("Thanks")];
  const next = await turnWith(model, { tools, providerOpts, messages });

  expect(refusalsOf(emulator)).toEqual([]);
  expect(repliesIn(turn.messages)).toEqual(["Looking.", "", "Done."]);
  assertValidTranscript(next.transcript);
  assertValidEvents(turn.events);
  emulator.assertComplete();
});

describe.each(vendors)("a model of %s", (_, vendor, id) => {
  test("answers an agent, whose tools it calls at once, and its session", async () => {
    await using emulator = await vendor.start([
      [callTool("weather", { city: "Rome" }), callTool("weather", { city: "Oslo" })],
      [usage({ inputTokens: 50, outputTokens: 7 }), say(["Rome is ", "warmer."])],
      say("You are welcome."),
    ]);
    const weather = defineTool({
      name: "weather",
      description: "Weather of a city",
      input: z.object({ city: z.string() }),
      execute: ({ city }) => `${city}: ${city.length * 5} degrees`,
    });
    const model = fromAiSdk(vendor.model(emulator, id));
    const agent = createAgent({ model, tools: [weather], instructions: "Be brief." });
    const session = createSession({ agent });

    const first = await session.send("Rome or Oslo?").response;
    const second = await session.send("Thanks").response;

    expect(first).toMatchObject({ status: "completed", text: "Rome is warmer." });
    expect(first.messages.map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(second.text).toBe("You are welcome.");
    expect(refusalsOf(emulator)).toEqual([]);
    await session.close();
  });

  test("keeps to a schema, and sees pictures", async () => {
    await using emulator = await vendor.start([say('{"city":"Rome"}')]);
    const output = z.object({ city: z.string() });
    const agent = createAgent({ model: fromAiSdk(vendor.model(emulator, id)), output });
    const session = createSession({ agent });

    const { output: answer } = await session.send({
      role: "user",
      content: [{ type: "text", text: "Where is this?" }, tinyImage],
    }).response;

    expect(answer).toEqual({ city: "Rome" });
    expect(refusalsOf(emulator)).toEqual([]);
    expect(JSON.stringify(emulator.requests[0]?.body)).toContain(tinyImage.data);
    await session.close();
  });

  test("stops when it is told to, and goes on from there", async () => {
    await using emulator = await vendor.start([
      [think("Hm"), say("Once upon"), stall()],
      say("Where were we?"),
    ]);
    const model = vendor.model(emulator, id);
    const controller = new AbortController();

    const turn = await turnWith(model, {
      signal: controller.signal,
      emit: (event) => event.type === "text_delta" && controller.abort(),
    });
    const next = await turnWith(model, { messages: [...turn.transcript, user("Go on")] });

    expect(turn.finishReason).toBe("aborted");
    expect(repliesIn(turn.messages)).toEqual(["Once upon"]);
    expect(next.finishReason).toBe("stop");
    expect(emulator.openAnswers).toBe(0);
    expect(refusalsOf(emulator)).toEqual([]);
  });

  test("does not run a call that its token limit has cut off", async () => {
    await using emulator = await vendor.start([cutToolCall("echo", '{"a":'), say("Sorry.")]);
    const tool = echoTool();

    const turn = await turnWith(vendor.model(emulator, id), { tools: [tool] });

    expect(tool.started).toEqual([]);
    expect(repliesIn(turn.messages).at(-1)).toBe("Sorry.");
    expect(refusalsOf(emulator)).toEqual([]);
  });

  test("may answer in one piece", async () => {
    await using emulator = await vendor.start([
      [say("Looking."), callTool("echo", { a: 1 })],
      say("Done."),
    ]);
    const { provider } = fromAiSdk(vendor.model(emulator, id), { stream: false });

    const turn = await turnWith(vendor.model(emulator, id), { provider, tools: [echoTool()] });

    expect(repliesIn(turn.messages)).toEqual(["Looking.", "Done."]);
    expect(refusalsOf(emulator)).toEqual([]);
  });
});

test("a vendor that keeps replies for its client is asked without them where the caller wants that", async () => {
  const script = [[think("Hm"), say("Looking."), callTool("echo")], say("Done.")];
  await using emulator = await gpt.start(script);
  const openai = { store: false, reasoningSummary: "auto" };
  const providerOpts = { thinkingLevel: "high", providerOptions: { openai } } as const;

  const tools = [echoTool()];
  const turn = await turnWith(gpt.model(emulator, "gpt-5.5"), { tools, providerOpts });

  expect(turn.finishReason).toBe("stop");
  expect(refusalsOf(emulator)).toEqual([]);
  const sent = JSON.stringify(emulator.requests[1]?.body);
  expect(sent).toContain("encrypted_content");
  expect(sent).not.toContain("item_reference");
});

test("a conversation moves between this way to a model, the other way, and another vendor", async () => {
  const step = [think("Hm"), say("Looking."), callTool("echo")];
  await using emulator = await claude.start([step, say("One."), step, say("Two."), step]);
  await using other = await gpt.start([[think("Hm"), say("Three.")]]);
  const tools = [echoTool()];
  const providerOpts = { thinkingLevel: "high" } as const;
  const id = "claude-sonnet-4-5";
  const common = { tools, providerOpts };

  const first = await turnWith(claude.model(emulator, id), common);
  const second = await turnWithNative({
    vendor: anthropic,
    model: id,
    url: emulator.url,
    tools,
    options: providerOpts,
    messages: [...first.transcript, user("Again")],
  });
  const cut = await turnWith(claude.model(emulator, id), {
    ...common,
    messages: [...second.transcript, user("Once more")],
    limits: { maxSteps: 1 },
  });
  const last = await turnWith(gpt.model(other, "gpt-5.5"), { ...common, messages: cut.transcript });

  expect(last.finishReason).toBe("stop");
  expect([...refusalsOf(emulator), ...refusalsOf(other)]).toEqual([]);
  emulator.assertComplete();
  other.assertComplete();
});

test("tools that the vendor runs are declared by the AI SDK's own, and what they found goes back", async () => {
  const found = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [
      {
        type: "web_search_result",
        url: "https://a.example",
        title: "A",
        encrypted_content: "x",
        page_age: null,
      },
    ],
  };
  const search = callTool(
    "web_search",
    { query: "a" },
    { providerExecuted: true, id: "srvtoolu_1" },
  );
  const later = callTool(
    "web_search",
    { query: "b" },
    { providerExecuted: true, id: "srvtoolu_2" },
  );
  await using emulator = await claude.start([
    [search, native(found), say("Found."), callTool("echo")],
    say("Done."),
    [later, pause()],
    say("Found more."),
  ]);
  const vendor = createAnthropic({ baseURL: `${emulator.url}/v1`, apiKey: "test-key" });
  const web = { web_search: vendor.tools.webSearch_20250305({ maxUses: 2 }) };
  const tools = [echoTool(), ...fromAiSdkTools(web)];
  const model = vendor("claude-sonnet-4-5");

  const turn = await turnWith(model, { tools });
  const next = await turnWith(model, { tools, messages: [...turn.transcript, user("More")] });

  expect(repliesIn(turn.messages)).toEqual(["Found.", "Done."]);
  expect(repliesIn(next.messages)).toEqual(["", "Found more."]);
  expect(refusalsOf(emulator)).toEqual([]);
  expect(emulator.requests[0]?.body["tools"]).toContainEqual({
    type: "web_search_20250305",
    name: "web_search",
    max_uses: 2,
  });
  expect(JSON.stringify(emulator.requests[1]?.body)).toContain('"encrypted_content":"x"');
});
