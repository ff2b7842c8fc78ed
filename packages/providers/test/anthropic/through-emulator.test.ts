import type { ThinkingLevel, ToolMessage } from "@capstan/kernel";
import { callTool, echoTool, failingTool, pause, say, think, tinyImage } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { refusalsOf, repliesIn, turnWith, user } from "../emulated-turns.ts";

const models = [
  "claude-3-7-sonnet-latest",
  "claude-opus-4-1",
  "claude-sonnet-4-5",
  "claude-haiku-4-5",
  "claude-opus-4-6",
  "claude-opus-4-7",
  "claude-opus-4-8",
  "claude-sonnet-5",
  "claude-opus-5",
  "claude-fable-5",
  "claude-mythos-preview",
  "claude-haiku-5-5",
  "claude-sonnet-5-5",
  "claude-opus-5-5",
  "claude-fable-5-2",
];
const levels: readonly (ThinkingLevel | undefined)[] = [undefined, "off", "low", "xhigh", "max"];
const settings = models.flatMap((model) => levels.map((level) => [model, level] as const));

test.each(settings)("%s at level %s takes a turn of several steps", async (model, level) => {
  await using claude = await anthropicEmulator([
    [think("Hm"), say("Looking."), callTool("echo", { a: 1 }), callTool("fail")],
    [callTool("echo", { a: 2 })],
    [think("Ah"), say("Done.")],
  ]);
  const options = { ...(level && { thinkingLevel: level }), temperature: 0.3 };

  const tools = [echoTool(), failingTool()];
  const turn = await turnWith({ model, url: claude.url, options, tools });

  expect(refusalsOf(claude)).toEqual([]);
  expect(turn.finishReason).toBe("stop");
  expect(repliesIn(turn.messages)).toEqual(["Looking.", "", "Done."]);
  claude.assertComplete();
});

test.each(["claude-sonnet-4-5", "claude-opus-4-7", "claude-opus-5", "claude-opus-5-5"])(
  "%s may be told to call a tool, and to call none",
  async (model) => {
    await using claude = await anthropicEmulator([callTool("echo"), say("Done."), say("Fine.")]);
    const turn = { model, url: claude.url, tools: [echoTool()] };

    const first = await turnWith({
      ...turn,
      options: { toolChoice: "required", thinkingLevel: "high" },
      limits: { maxSteps: 1, closing: { prompt: "Report." } },
    });
    await turnWith({
      ...turn,
      options: { toolChoice: { tool: "echo" } },
      messages: first.transcript,
    });

    expect(refusalsOf(claude)).toEqual([]);
  },
);

test("a reply that comes whole says the same", async () => {
  await using claude = await anthropicEmulator([[say("Looking."), callTool("echo")], say("Done.")]);

  const turn = await turnWith({
    model: "claude-opus-5",
    url: claude.url,
    tools: [echoTool()],
    isStreaming: false,
  });

  expect(refusalsOf(claude)).toEqual([]);
  expect(repliesIn(turn.messages)).toEqual(["Looking.", "Done."]);
});

test.each(["claude-sonnet-4-5", "claude-opus-5-5"])("%s goes on after a pause", async (model) => {
  await using claude = await anthropicEmulator([
    [think("Hm"), say("So far "), pause()],
    [say("I know. "), callTool("echo")],
    say("Found."),
  ]);

  const turn = await turnWith({ model, url: claude.url, tools: [echoTool()] });

  expect(refusalsOf(claude)).toEqual([]);
  expect(repliesIn(turn.messages)).toEqual(["So far ", "I know. ", "Found."]);
});

test("instructions, images and documents in the middle of a conversation are taken", async () => {
  await using claude = await anthropicEmulator([say("Hi"), say("I see."), say("Bye")]);
  const { url } = claude;
  const pdf = Buffer.from("%PDF-1.4 empty").toString("base64");

  const first = await turnWith({ model: "claude-opus-5", url, messages: [user("Hi")] });
  const second = await turnWith({
    model: "claude-opus-5",
    url,
    messages: [
      ...first.transcript,
      {
        role: "user",
        id: "u2",
        content: [
          tinyImage,
          { type: "document", mediaType: "application/pdf", data: pdf, name: "a.pdf" },
          { type: "document", mediaType: "text/csv", data: btoa("a,b"), name: "b.csv" },
        ],
      },
      { role: "system", id: "s1", content: "Be brief." },
    ],
  });
  await turnWith({ model: "claude-sonnet-5", url, messages: [...second.transcript, user("Bye")] });

  expect(refusalsOf(claude)).toEqual([]);
});

test("the second request reads the prompt of the first from the cache", async () => {
  const long = "All work and no play makes Jack a dull boy. ".repeat(200);
  await using claude = await anthropicEmulator([callTool("echo"), say("Done.")]);

  await turnWith({
    model: "claude-opus-5-5",
    url: claude.url,
    tools: [echoTool()],
    options: { systemPrompt: long },
    messages: [user(long)],
  });

  const [first, second] = claude.requests.map(({ usage }) => usage);
  expect(second?.cacheReadTokens).toBeGreaterThanOrEqual(first?.cacheWriteTokens ?? Number.NaN);
  expect(first?.cacheWriteTokens).toBeGreaterThan(1000);
});

test("a picture that the vendor will not take is named", async () => {
  await using claude = await anthropicEmulator([]);
  const image = { type: "image" as const, mediaType: "image/png", data: btoa("no picture") };

  const turn = await turnWith({
    model: "claude-opus-5",
    url: claude.url,
    messages: [{ role: "user", id: "u7", content: [{ type: "text", text: "Look" }, image] }],
  });

  expect(turn.error).toMatchObject({
    code: "invalid_request",
    rejected: { messageId: "u7", part: 1 },
  });
});

test.each<[string, ToolMessage["content"]]>([
  ["nothing", ""],
  ["blanks", " \n"],
  ["an empty list", []],
  ["a picture", [tinyImage]],
])("a result that failed with %s is taken", async (_, content) => {
  await using claude = await anthropicEmulator([callTool("echo"), say("Sorry.")]);
  const { url } = claude;
  const asked = await turnWith({
    model: "claude-opus-5",
    url,
    tools: [echoTool()],
    limits: { maxSteps: 1 },
  });
  const messages = asked.transcript.map((message) =>
    message.role === "tool" ? { ...message, content, isError: true } : message,
  );

  await turnWith({ model: "claude-opus-5", url, tools: [echoTool()], messages });

  expect(refusalsOf(claude)).toEqual([]);
  claude.assertComplete();
});
