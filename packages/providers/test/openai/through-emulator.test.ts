import type { ThinkingLevel } from "@capstan/kernel";
import { callTool, echoTool, failingTool, refuse, say, think, tinyImage } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { openai } from "../../src/openai.ts";
import { refusalsOf, repliesIn, turnWith, user } from "../emulated-turns.ts";

const models = [
  "gpt-4o",
  "gpt-4.1",
  "o3",
  "o4-mini",
  "gpt-5",
  "gpt-5.1",
  "gpt-5.4",
  "gpt-5.6-sol",
  "gpt-6-sol",
];
const levels: readonly (ThinkingLevel | undefined)[] = [undefined, "off", "low", "xhigh", "max"];
const settings = models.flatMap((model) => levels.map((level) => [model, level] as const));

test.each(settings)("%s at level %s takes a turn of several steps", async (model, level) => {
  await using service = await openAiResponsesEmulator([
    [think("Hm"), say("Looking."), callTool("echo", { a: 1 }), callTool("fail")],
    [callTool("echo", { a: 2 })],
    [think("Ah"), say("Done.")],
  ]);
  const options = { ...(level && { thinkingLevel: level }), temperature: 0.3, sessionId: "s1" };

  const turn = await turnWith({
    vendor: openai,
    model,
    url: service.url,
    options,
    tools: [echoTool(), failingTool()],
  });

  expect(refusalsOf(service)).toEqual([]);
  expect(turn.finishReason).toBe("stop");
  expect(repliesIn(turn.messages)).toEqual(["Looking.", "", "Done."]);
  service.assertComplete();
});

test("a reply that comes whole says the same", async () => {
  await using service = await openAiResponsesEmulator([
    [think("Hm"), say("Looking."), callTool("echo")],
    say("Done."),
  ]);

  const turn = await turnWith({
    vendor: openai,
    model: "gpt-5.5",
    url: service.url,
    tools: [echoTool()],
    isStreaming: false,
  });

  expect(refusalsOf(service)).toEqual([]);
  expect(repliesIn(turn.messages)).toEqual(["Looking.", "Done."]);
});

test("a refusal goes back as a refusal, and the conversation goes on", async () => {
  await using service = await openAiResponsesEmulator([
    refuse("I would rather not."),
    say("Fine."),
  ]);
  const turn = { vendor: openai, model: "gpt-5.5", url: service.url };

  const first = await turnWith({ ...turn, messages: [user("Do it")] });
  const second = await turnWith({ ...turn, messages: [...first.transcript, user("Please")] });

  expect(first.messages).toMatchObject([
    { content: [{ type: "refusal", text: "I would rather not." }] },
  ]);
  expect(second.finishReason).toBe("stop");
  expect(refusalsOf(service)).toEqual([]);
});

test("images, documents and pictures of tools are taken", async () => {
  await using service = await openAiResponsesEmulator([
    say("Hi"),
    callTool("camera"),
    say("I see."),
  ]);
  const camera = { ...echoTool(), name: "camera", execute: () => [tinyImage] };
  const turn = { vendor: openai, model: "gpt-5.5", url: service.url, tools: [camera] };
  const pdf = Buffer.from("%PDF-1.4 empty").toString("base64");

  const first = await turnWith({
    ...turn,
    messages: [
      {
        role: "user",
        id: "u1",
        content: [
          tinyImage,
          { type: "document", mediaType: "application/pdf", data: pdf, name: "a.pdf" },
          { type: "document", mediaType: "text/csv", data: btoa("a,b"), name: "b.csv" },
        ],
      },
    ],
  });
  const second = await turnWith({ ...turn, messages: [...first.transcript, user("Look")] });

  expect(refusalsOf(service)).toEqual([]);
  expect(second.finishReason).toBe("stop");
});

test("the second request reads the prompt of the first from the cache", async () => {
  const long = "All work and no play makes Jack a dull boy. ".repeat(200);
  await using service = await openAiResponsesEmulator([callTool("echo"), say("Done.")]);

  await turnWith({
    vendor: openai,
    model: "gpt-5.5",
    url: service.url,
    tools: [echoTool()],
    options: { systemPrompt: long },
    messages: [user(long)],
  });

  const [first, second] = service.requests.map(({ usage }) => usage);
  expect(first?.cacheReadTokens ?? 0).toBe(0);
  expect(second?.cacheReadTokens).toBeGreaterThan(4_000);
});

test("a key that the service does not know, and one that nobody has given, are errors of their own", async () => {
  await using service = await openAiResponsesEmulator([say("Hi")], { apiKey: "another" });

  const turn = await turnWith({ vendor: openai, model: "gpt-5.5", url: service.url });

  expect(turn.error).toMatchObject({ name: "ProviderError", code: "auth" });
});

test("a context that is too long is told as such", async () => {
  await using service = await openAiResponsesEmulator([say("Hi")], { contextWindow: 1_000 });

  const turn = await turnWith({
    vendor: openai,
    model: "gpt-5.5",
    url: service.url,
    messages: [user("word ".repeat(4_000))],
  });

  expect(turn.error?.code).toBe("context_overflow");
});
