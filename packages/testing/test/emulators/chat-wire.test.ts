import { ProviderError } from "@capstan/kernel";
import {
  callTool,
  cutOff,
  failAfter,
  failBefore,
  hang,
  native,
  pause,
  ping,
  reply,
  say,
  stall,
  wait,
} from "@capstan/testing";
import {
  cutConnection,
  openAiChatEmulator,
  overload,
  respondWith,
  throttle,
} from "@capstan/testing/emulators";
import type { Emulator } from "@capstan/testing/emulators";
import * as openai from "openai";
import { describe, expect, test } from "vitest";
import { plain } from "./chat-request.ts";
import { askChat } from "./exchange.ts";
import { failureOf } from "./vendors.ts";

const ok = say("ok");
const streaming = { ...plain, stream: true };

interface AskOptions {
  readonly stream?: boolean;
  readonly apiKey?: string;
  readonly maxRetries?: number;
  readonly model?: string;
}

async function ask({ url }: Emulator, options: AskOptions = {}): Promise<string | null> {
  const { apiKey = "key", maxRetries = 0, stream = true, model = "gpt-4.1" } = options;
  const client = new openai.OpenAI({ apiKey, baseURL: url, maxRetries, logLevel: "off" });
  const params = { model, messages: [{ role: "user" as const, content: "Hi" }] };
  const { choices } = stream
    ? await client.chat.completions.stream(params).finalChatCompletion()
    : await client.chat.completions.create(params);
  return choices[0]?.message.content ?? null;
}

describe("the official client", () => {
  test.each([
    ["a refused request", "invalid_request", openai.BadRequestError, 400],
    ["a prompt that is too long", "context_overflow", openai.BadRequestError, 400],
    ["a filtered request", "content_filter", openai.BadRequestError, 400],
    ["a wrong key", "auth", openai.AuthenticationError, 401],
    ["too many requests", "rate_limit", openai.RateLimitError, 429],
  ] as const)("has an error of its own for %s", async (_, code, type, status) => {
    await using emulator = await openAiChatEmulator([failBefore(code), failBefore(code)]);

    const streamed = await failureOf(ask(emulator, { stream: true }));
    const whole = await failureOf(ask(emulator, { stream: false }));

    expect([streamed, whole]).toEqual([expect.any(type), expect.any(type)]);
    expect(whole).toMatchObject({ status });
  });

  test("sees a failure of no known kind as the service's own, and hears the script's words", async () => {
    await using emulator = await openAiChatEmulator([
      failBefore(new Error("out of luck")),
      failBefore(new ProviderError("invalid_request", "too blue")),
    ]);

    const unlucky = await failureOf(ask(emulator));
    const blue = ask(emulator);

    expect(unlucky).toBeInstanceOf(openai.InternalServerError);
    await expect(blue).rejects.toThrow("too blue");
  });

  test("tries again after too many requests and after too much load", async () => {
    await using emulator = await openAiChatEmulator([throttle(), overload(), ok]);

    const text = await ask(emulator, { maxRetries: 2 });

    expect(text).toBe("ok");
    emulator.assertComplete();
  });

  test("is refused with another key than the right one, and with none", async () => {
    await using emulator = await openAiChatEmulator([ok], { apiKey: "right" });

    const wrong = await failureOf(ask(emulator, { apiKey: "wrong" }));
    const none = await askChat(emulator, plain, { authorization: "" });
    const right = await ask(emulator, { apiKey: "right" });

    expect(wrong).toBeInstanceOf(openai.AuthenticationError);
    expect(none.status).toBe(401);
    expect(right).toBe("ok");
  });

  test("is refused with a model that there is not", async () => {
    await using emulator = await openAiChatEmulator([ok, ok], {
      models: ["gpt-4.1", "house-blend"],
    });

    const withheld = await failureOf(ask(emulator, { model: "gpt-4o" }));
    const there = [await ask(emulator), await ask(emulator, { model: "house-blend" })];

    expect(withheld).toBeInstanceOf(openai.NotFoundError);
    expect(withheld).toMatchObject({ code: "model_not_found" });
    expect(there).toEqual(["ok", "ok"]);
  });

  test("waits where the script waits, and passes over signs of life", async () => {
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using emulator = await openAiChatEmulator([
      reply(wait(early.promise), ping(), say("o"), wait(late.promise), say("k")),
    ]);
    const asked = ask(emulator);

    early.resolve();
    late.resolve();

    expect(await asked).toBe("ok");
  });

  test.each([
    ["the connection breaks between two events", failAfter(say("o"), "network")],
    ["the connection breaks inside of an event", reply(say("o"), cutConnection())],
    ["an unreadable event comes", failAfter(say("o"), "protocol")],
    ["the connection breaks before anything is said", failBefore("network")],
    ["the stream ends too early", reply(say("o"), cutOff())],
  ])("fails when %s", async (_, item) => {
    await using emulator = await openAiChatEmulator([item]);

    const asked = ask(emulator);

    await expect(asked).rejects.toThrow();
    expect(emulator.refusals).toEqual([]);
    emulator.assertComplete();
  });

  test.each([
    ["cutOff()", cutOff()],
    ["cutConnection()", cutConnection()],
    ["a broken body", failBefore("protocol")],
  ])("gets no reply in one piece after %s", async (_, item) => {
    await using emulator = await openAiChatEmulator([item]);

    const asked = ask(emulator, { stream: false });

    await expect(asked).rejects.toThrow();
  });
});

test.each([
  ["stalls", stall()],
  ["hangs", hang()],
])("a client may leave an answer that %s", async (_, item) => {
  await using emulator = await openAiChatEmulator([reply(say("o"), item), ok]);
  const controller = new AbortController();
  const response = await fetch(`${emulator.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify(streaming),
    headers: { authorization: "Bearer key" },
    signal: controller.signal,
  });

  const reading = response.text();
  controller.abort();

  await expect(reading).rejects.toThrow("abort");
  expect(await ask(emulator)).toBe("ok");
});

test("a throttled client is told how long to wait", async () => {
  await using emulator = await openAiChatEmulator([throttle({ retryAfterSeconds: 2.5 })]);

  const { status, headers } = await askChat(emulator, plain);

  expect([status, headers.get("retry-after"), headers.get("retry-after-ms")]).toEqual([
    429,
    "3",
    "2500",
  ]);
});

test.each([
  ["a pause", pause(), "Chat Completions has no pause"],
  ["native data that is no object", native("x"), "must be an object of fields"],
  [
    "a call that the provider runs",
    callTool("search", {}, { providerExecuted: true }),
    "cannot express calls that the provider runs",
  ],
])("%s has no form here", async (_, item, words) => {
  await using emulator = await openAiChatEmulator([item]);

  const answer = await askChat(emulator, plain);

  expect(answer.status).toBe(500);
  expect(answer.text).toContain(words);
});

test("fields that only some servers have are scripted as native data", async () => {
  const annotations = [{ type: "url_citation" }];
  await using emulator = await openAiChatEmulator([reply(say("ok"), native({ annotations }))]);

  const { json } = await askChat(emulator, plain);

  expect(json).toMatchObject({ choices: [{ message: { content: "ok", annotations } }] });
});

test("other paths, methods and bodies are refused, and any answer can be scripted", async () => {
  const page = respondWith({ status: 502, body: "<h1>Bad Gateway</h1>" });
  await using emulator = await openAiChatEmulator([page], { maxBodyBytes: 1000 });

  const elsewhere = await fetch(`${emulator.url}/nowhere`, { method: "POST", body: "{}" });
  const read = await fetch(`${emulator.url}/chat/completions`);
  const large = await askChat(emulator, " ".repeat(2000));
  const broken = await askChat(emulator, "{");
  const scripted = await askChat(emulator, plain);

  const statuses = [elsewhere, read, large, broken, scripted].map(({ status }) => status);
  expect(statuses).toEqual([404, 405, 413, 400, 502]);
});
