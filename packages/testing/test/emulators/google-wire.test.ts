import { ProviderError } from "@capstan/kernel";
import {
  cutOff,
  failAfter,
  failBefore,
  hang,
  ping,
  reply,
  say,
  stall,
  wait,
} from "@capstan/testing";
import {
  cutConnection,
  googleEmulator,
  overload,
  respondWith,
  throttle,
} from "@capstan/testing/emulators";
import type { Emulator } from "@capstan/testing/emulators";
import { ApiError, GoogleGenAI } from "@google/genai";
import { describe, expect, test } from "vitest";
import { askGoogle } from "./exchange.ts";
import { plain } from "./google-request.ts";
import { failureOf } from "./vendors.ts";

const ok = say("ok");

interface AskOptions {
  readonly stream?: boolean;
  readonly apiKey?: string;
  readonly attempts?: number;
}

async function ask({ url }: Emulator, options: AskOptions = {}): Promise<string> {
  const { apiKey = "key", stream = true, attempts = 1 } = options;
  const retryOptions = { attempts, initialDelay: 0, maxDelay: 0 };
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, retryOptions } });
  const params = { model: "gemini-3.5-flash", contents: "Hi" };
  if (!stream) return (await client.models.generateContent(params)).text ?? "";
  const responses = await Array.fromAsync(await client.models.generateContentStream(params));
  return responses.map(({ text = "" }) => text).join("");
}

describe("the official client", () => {
  test.each([
    ["invalid_request", 400, "INVALID_ARGUMENT", "Request contains an invalid argument."],
    [
      "context_overflow",
      400,
      "INVALID_ARGUMENT",
      "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
    ],
    ["content_filter", 400, "INVALID_ARGUMENT", "The prompt could not be submitted"],
    ["auth", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
    ["rate_limit", 429, "RESOURCE_EXHAUSTED", "You exceeded your current quota"],
    ["overloaded", 503, "UNAVAILABLE", "The model is overloaded."],
  ] as const)("has the status and the words of %s", async (code, status, named, words) => {
    await using emulator = await googleEmulator([failBefore(code), failBefore(code)]);

    const streamed = await failureOf(ask(emulator));
    const whole = await failureOf(ask(emulator, { stream: false }));

    expect([streamed, whole]).toEqual([expect.any(ApiError), expect.any(ApiError)]);
    expect(whole).toMatchObject({ status, message: expect.stringContaining(words) as string });
    expect(streamed).toHaveProperty("message", expect.stringContaining(`"status":"${named}"`));
  });

  test("sees a failure of no known kind as the service's own, and hears the script's words", async () => {
    await using emulator = await googleEmulator([
      failBefore(new Error("out of luck")),
      failBefore(new ProviderError("invalid_request", "too blue")),
    ]);

    const unlucky = await failureOf(ask(emulator));
    const blue = ask(emulator);

    expect(unlucky).toMatchObject({ status: 500 });
    await expect(blue).rejects.toThrow("too blue");
  });

  test("tries again after too many requests and after too much load", async () => {
    await using emulator = await googleEmulator([throttle(), overload(), ok]);

    const text = await ask(emulator, { attempts: 3 });

    expect(text).toBe("ok");
    emulator.assertComplete();
  });

  test("waits where the script waits", async () => {
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using emulator = await googleEmulator([
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
  ])("fails when %s", async (_, item) => {
    await using emulator = await googleEmulator([item]);

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
    await using emulator = await googleEmulator([item]);

    const asked = ask(emulator, { stream: false });

    await expect(asked).rejects.toThrow();
  });
});

test.each([
  ["stalls", stall()],
  ["hangs", hang()],
])("a client may leave an answer that %s", async (_, item) => {
  await using emulator = await googleEmulator([reply(say("o"), item), ok]);
  const controller = new AbortController();
  const url = `${emulator.url}/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse`;
  const response = await fetch(url, {
    method: "POST",
    body: JSON.stringify(plain),
    headers: { "x-goog-api-key": "key" },
    signal: controller.signal,
  });

  const reading = response.text();
  controller.abort();

  await expect(reading).rejects.toThrow("abort");
  expect(await ask(emulator)).toBe("ok");
});

test("other paths, methods, models, bodies and lengths are refused, and any answer can be scripted", async () => {
  const page = respondWith({ status: 502, body: "<h1>Bad Gateway</h1>" });
  await using emulator = await googleEmulator([page], { maxBodyBytes: 1000, contextWindow: 10 });
  const long = { contents: [{ parts: [{ text: "Hi ".repeat(99) }] }] };

  const elsewhere = await askGoogle(emulator, plain, { method: "countTokens" });
  const read = await fetch(`${emulator.url}/v1beta/models/gemini-3.5-flash:generateContent`);
  const unknown = await askGoogle(emulator, plain, { model: "gpt-4.1" });
  const large = await askGoogle(emulator, " ".repeat(2000));
  const broken = await askGoogle(emulator, "{");
  const overlong = await askGoogle(emulator, long);
  const scripted = await askGoogle(emulator, plain);

  const statuses = [elsewhere, read, unknown, large, broken, overlong, scripted].map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([404, 404, 404, 400, 400, 400, 502]);
  expect(large.text).toContain("Request payload size exceeds the limit: 1000 bytes.");
  expect(overlong.text).toContain("exceeds the maximum number of tokens allowed (10).");
});
