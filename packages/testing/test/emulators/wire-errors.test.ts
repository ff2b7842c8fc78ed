import * as anthropic from "@anthropic-ai/sdk";
import { ProviderError } from "@capstan/kernel";
import { failBefore, native, pause, say } from "@capstan/testing";
import {
  anthropicEmulator,
  openAiResponsesEmulator,
  overload,
  respondWith,
  throttle,
} from "@capstan/testing/emulators";
import * as openai from "openai";
import { describe, expect, test } from "vitest";
import { askClaude, askOpenAi } from "./exchange.ts";
import { failureOf, vendorOf, vendors } from "./vendors.ts";

const ok = say("ok");

/** Both clients have the same names for what goes wrong. */
const clients = [
  ["Anthropic", anthropic],
  ["OpenAI", openai],
] as const;

describe.each(clients)("the client of %s", (name, client) => {
  const vendor = vendorOf(name);
  const { BadRequestError, AuthenticationError, RateLimitError, InternalServerError } = client;

  test.each([
    ["a refused request", "invalid_request", BadRequestError, 400],
    ["a prompt that is too long", "context_overflow", BadRequestError, 400],
    ["a filtered request", "content_filter", BadRequestError, 400],
    ["a wrong key", "auth", AuthenticationError, 401],
    ["too many requests", "rate_limit", RateLimitError, 429],
  ] as const)("has an error of its own for %s", async (_, code, type, status) => {
    await using emulator = await vendor.start([failBefore(code), failBefore(code)]);

    const streamed = await failureOf(vendor.say(emulator, { stream: true }));
    const whole = await failureOf(vendor.say(emulator, { stream: false }));

    expect([streamed, whole]).toEqual([expect.any(type), expect.any(type)]);
    expect(whole).toMatchObject({ status });
  });

  test("sees a failure of no known kind as the service's own", async () => {
    await using emulator = await vendor.start([failBefore(new Error("out of luck"))]);

    const failure = await failureOf(vendor.say(emulator));

    expect(failure).toBeInstanceOf(InternalServerError);
    expect(failure).toMatchObject({
      status: 500,
      message: expect.stringContaining("out of luck") as string,
    });
  });

  test("hears the script's own words of an error", async () => {
    const words = "messages.0.content.1: too blue";
    await using emulator = await vendor.start([
      failBefore(new ProviderError("invalid_request", words)),
    ]);

    const asked = vendor.say(emulator);

    await expect(asked).rejects.toThrow(words);
  });

  test("tries again after too many requests and after too much load", async () => {
    await using emulator = await vendor.start([throttle(), overload(), ok]);

    const text = await vendor.say(emulator, { maxRetries: 2 });

    expect(text).toBe("ok");
    emulator.assertComplete();
  });

  test("is refused with another key than the right one, and with none", async () => {
    await using emulator = await vendor.start([ok], { apiKey: "right" });

    const wrong = await failureOf(vendor.say(emulator, { apiKey: "wrong" }));
    const none = await vendor.ask(emulator, vendor.body, { "x-api-key": "", authorization: "" });
    const right = await vendor.say(emulator, { apiKey: "right" });

    expect(wrong).toBeInstanceOf(AuthenticationError);
    expect(none.status).toBe(401);
    expect(right).toBe("ok");
    expect(emulator.requests).toHaveLength(1);
  });

  test("needs a key even where any will do", async () => {
    await using emulator = await vendor.start([ok]);

    const none = await vendor.ask(emulator, vendor.body, { "x-api-key": "", authorization: "" });
    const any = await vendor.say(emulator, { apiKey: "any" });

    expect(none.status).toBe(401);
    expect(any).toBe("ok");
  });

  test("is told of a script that the vendor has no form for", async () => {
    await using emulator = await vendor.start([native("not an object")]);

    const answer = await vendor.ask(emulator);

    expect(answer.status).toBe(500);
    expect(answer.text).toContain("must be an object with a type");
  });

  test("is refused with a model that there is not", async () => {
    const known = String(vendor.body["model"]);
    await using emulator = await vendor.start([ok], { models: [known] });

    const other = vendor.name === "OpenAI" ? "gpt-4o" : "claude-opus-5";

    const invented = await failureOf(vendor.say(emulator, { model: "nonesuch-1" }));
    const withheld = await failureOf(vendor.say(emulator, { model: other }));
    const there = await vendor.say(emulator);

    const status = vendor.name === "OpenAI" ? 400 : 404;
    expect([invented, withheld]).toMatchObject([{ status }, { status }]);
    expect(there).toBe("ok");
  });

  test("may ask for a model of any name that the test says there is", async () => {
    await using emulator = await vendor.start([ok], { models: ["house-blend"] });

    const text = await vendor.say(emulator, { model: "house-blend" });

    expect(text).toBe("ok");
  });

  test("gets any answer that the script has", async () => {
    const headers = { "content-type": "text/html", "x-from": "proxy" };
    await using emulator = await vendor.start([
      respondWith({ status: 502, headers, body: "<h1>Bad Gateway</h1>" }),
    ]);

    const answer = await vendor.ask(emulator);

    expect(answer).toMatchObject({ status: 502, text: "<h1>Bad Gateway</h1>" });
    expect(answer.headers.get("x-from")).toBe("proxy");
  });
});

test("each vendor says in its own way how long to wait, and that it has too much to do", async () => {
  const script = [throttle({ retryAfterSeconds: 2.5 }), overload()];
  const answers = await Promise.all(
    vendors.map(async (vendor) => {
      await using emulator = await vendor.start(script);
      return [await vendor.ask(emulator), await vendor.ask(emulator)] as const;
    }),
  );

  const told = answers.map(([throttled, busy]) => [
    throttled.headers.get("retry-after"),
    throttled.headers.get("retry-after-ms"),
    busy.status,
    (busy.json["error"] as { readonly type: string }).type,
  ]);
  expect(told).toEqual([
    ["3", null, 529, "overloaded_error"],
    ["3", "2500", 503, "service_unavailable_error"],
  ]);
});

test("the Responses API has no pause", async () => {
  await using emulator = await openAiResponsesEmulator([pause()]);

  const answer = await askOpenAi(emulator, { model: "gpt-5.5", input: "Hi" });

  expect(answer.text).toContain("The Responses API has no pause");
});

test("a version of the Messages API has to be named, and be one", async () => {
  await using emulator = await anthropicEmulator([]);

  const unknown = await askClaude(emulator, {}, { "anthropic-version": "2020-01-01" });
  const response = await fetch(`${emulator.url}/v1/messages`, {
    method: "POST",
    body: "{}",
    headers: { "x-api-key": "key" },
  });

  expect(unknown.text).toContain('anthropic-version: \\"2020-01-01\\" is not a valid version');
  expect(await response.text()).toContain("anthropic-version: header is required");
});
