import {
  callTool,
  cutOff,
  cutToolCall,
  failAfter,
  finish,
  native,
  pause,
  refuse,
  reply,
  say,
} from "@capstan/testing";
import { googleEmulator, throttle } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askGoogle } from "./exchange.ts";
import { plain } from "./google-request.ts";

const ok = say("ok");
const sse = { method: "streamGenerateContent?alt=sse" };
const array = { method: "streamGenerateContent" };

describe("a key", () => {
  test("is in a header or in the URL, and is the right one", async () => {
    await using emulator = await googleEmulator([ok, ok], { apiKey: "right" });
    const bare = { "x-goog-api-key": "" };

    const none = await askGoogle(emulator, plain, { headers: bare });
    const wrong = await askGoogle(emulator, plain);
    const header = await askGoogle(emulator, plain, { headers: { "x-goog-api-key": "right" } });
    const url = await askGoogle(emulator, plain, {
      method: "generateContent?key=right",
      headers: bare,
    });

    expect([none, wrong, header, url].map(({ status }) => status)).toEqual([403, 400, 200, 200]);
    expect(none.json).toMatchObject({ error: { status: "PERMISSION_DENIED" } });
    expect(wrong.json).toMatchObject({
      error: {
        status: "INVALID_ARGUMENT",
        details: [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
        ],
      },
    });
  });
});

describe("a stream", () => {
  test("is of events, each with the counts so far, and ends with the last of them", async () => {
    await using emulator = await googleEmulator([say(["o", "k"])]);

    const { text, headers } = await askGoogle(emulator, plain, sse);

    const events = text.split("\r\n\r\n").filter(Boolean);
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(events.every((event) => event.startsWith('data: {"candidates":'))).toBe(true);
    expect(events.map((event) => event.includes("finishReason"))).toEqual([false, false, true]);
    expect(events.every((event) => event.includes("promptTokenCount"))).toBe(true);
  });

  test("is one array without being asked for events, and so are its errors", async () => {
    await using emulator = await googleEmulator([
      say(["o", "k"]),
      failAfter(say("o"), "overloaded"),
    ]);

    const whole = await askGoogle(emulator, plain, array);
    const failed = await askGoogle(emulator, plain, array);
    const refused = await askGoogle(emulator, {}, array);

    expect(whole.headers.get("content-type")).toContain("application/json");
    expect(whole.json).toHaveLength(3);
    expect(failed.json).toMatchObject([{ candidates: [{}] }, { error: { status: "UNAVAILABLE" } }]);
    expect(refused.json).toMatchObject([{ error: { status: "INVALID_ARGUMENT" } }]);
  });

  test("that fails ends in an error that is no event, and one that is cut just ends", async () => {
    await using emulator = await googleEmulator([
      failAfter(say("o"), "overloaded"),
      reply(say("o"), cutOff()),
    ]);

    const failed = await askGoogle(emulator, plain, sse);
    const cut = await askGoogle(emulator, plain, sse);

    const [, error = ""] = failed.text.split("\r\n\r\n");
    expect(JSON.parse(error)).toMatchObject({ error: { code: 503, status: "UNAVAILABLE" } });
    expect(cut.text).not.toContain("finishReason");
  });

  test("brings arguments in pieces, if a test says so", async () => {
    const input = { city: "Rome", days: [1, true, null], "a b": { c: "" } };
    await using emulator = await googleEmulator([callTool("weather", input)], {
      streamsArguments: true,
    });

    const { text } = await askGoogle(emulator, plain, sse);

    const calls = [...text.matchAll(/"parts":(\[.*?\]),"role"/g)].map(
      ([, parts = ""]) => JSON.parse(parts) as object[],
    );
    const pieces = calls.flat().flatMap((part) => {
      const { functionCall } = part as { functionCall?: { partialArgs?: object[] } };
      return functionCall?.partialArgs ?? [];
    });
    expect(calls[0]).toMatchObject([{ functionCall: { name: "weather", willContinue: true } }]);
    expect(pieces).toEqual([
      { jsonPath: "$.city", stringValue: "Rome", willContinue: true },
      { jsonPath: "$.city", stringValue: "" },
      { jsonPath: "$.days[0]", numberValue: 1 },
      { jsonPath: "$.days[1]", boolValue: true },
      { jsonPath: "$.days[2]", nullValue: "NULL_VALUE" },
      { jsonPath: "$['a b'].c", stringValue: "" },
    ]);
    expect(calls.at(-2)).toEqual([{ functionCall: {} }]);
  });
});

test("a throttled client is told in the body how long to wait", async () => {
  await using emulator = await googleEmulator([throttle({ retryAfterSeconds: 2.5 })]);

  const { headers, json } = await askGoogle(emulator, plain);

  const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3s" };
  expect(json).toMatchObject({ error: { code: 429, details: [info] } });
  expect(headers.get("retry-after")).toBeNull();
});

test("a refusal says why, a cut call is not there, and a part may be anything of Google's", async () => {
  const code = { executableCode: { language: "PYTHON", code: "1" } };
  await using emulator = await googleEmulator([
    refuse("I would rather not."),
    reply(say("Well"), cutToolCall("weather", '{"ci')),
    reply(native(code), say("ok"), finish("stop")),
  ]);

  const refused = await askGoogle(emulator, plain);
  const cut = await askGoogle(emulator, plain);
  const run = await askGoogle(emulator, plain);

  expect(refused.json["candidates"]).toEqual([
    { finishReason: "PROHIBITED_CONTENT", finishMessage: "I would rather not.", index: 0 },
  ]);
  expect(cut.json).toMatchObject({
    candidates: [{ finishReason: "MAX_TOKENS", content: { parts: [{ text: "Well" }] } }],
  });
  expect(run.json).toMatchObject({ candidates: [{ content: { parts: [code, { text: "ok" }] } }] });
});

test.each([
  ["a pause", pause(), "The Gemini API has no pause"],
  [
    "native data that is no object",
    native("x"),
    "A native part of the Gemini API must be an object",
  ],
  [
    "a call that the provider runs",
    callTool("search", {}, { providerExecuted: true }),
    "Gemini runs only its own tools",
  ],
])("%s has no form here", async (_, item, words) => {
  await using emulator = await googleEmulator([item]);

  const answer = await askGoogle(emulator, plain);

  expect(answer.status).toBe(500);
  expect(answer.text).toContain(words);
});
