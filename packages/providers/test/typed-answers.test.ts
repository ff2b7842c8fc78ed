import { createOpenAI } from "@ai-sdk/openai";
import { createAgent, defineTool } from "@capstan/core";
import { say } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import { openAiChatEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromAiSdk } from "../src/ai-sdk.ts";
import { openai } from "../src/openai.ts";
import type { VendorModel } from "../src/vendors/vendor-function.ts";
import { vendors } from "../src/vendors.ts";
import { recording, serve } from "./transport/test-vendor.ts";

interface WireFormat {
  readonly schema: object;
  readonly strict: boolean;
}

interface Wire {
  readonly text?: { readonly format: WireFormat };
  readonly response_format?: { readonly type: string; readonly json_schema?: WireFormat };
  readonly tools?: readonly {
    readonly strict?: boolean;
    readonly parameters?: object;
    readonly function?: { readonly strict?: boolean; readonly parameters?: object };
  }[];
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

interface Service {
  readonly name: string;
  start(texts: readonly string[]): Promise<Emulator>;
  model(emulator: Emulator): VendorModel;
  formatIn(body: Wire): WireFormat | undefined;
}

const apiKey = "key-of-a-test";
const services: readonly Service[] = [
  {
    name: "Responses",
    start: (texts) => openAiResponsesEmulator(texts.map((text) => say(text))),
    model: ({ url: baseUrl }) => openai("gpt-5.5", { baseUrl, apiKey }),
    formatIn: ({ text }) => text?.format,
  },
  {
    name: "Chat Completions",
    start: (texts) =>
      openAiChatEmulator(
        texts.map((text) => say(text)),
        { dialect: "groq" },
      ),
    model: ({ url: baseUrl }) => vendors["groq"]!("openai/gpt-oss-20b", { baseUrl, apiKey }),
    formatIn: ({ response_format }) => response_format?.json_schema,
  },
];

const shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), radius: z.number() }),
  z.object({ kind: z.literal("square"), side: z.number() }),
]);

describe.each(services)("an answer of $name", ({ start, model, formatIn }) => {
  test.each<[string, z.ZodType, unknown]>([
    ["an array", z.array(z.number()), [2, 3, 5]],
    ["a union", shape, { kind: "circle", radius: 1 }],
    ["a text", z.enum(["yes", "no"]), "yes"],
  ])(
    "that is %s is asked for in an object, and handed out without it",
    async (_, output, value) => {
      await using emulator = await start([`{"answer": ${JSON.stringify(value)} }`]);
      const agent = createAgent({ model: model(emulator), output });

      const { output: given, text, error } = await agent.runTurn({ input: "Go" }).response;

      expect(error).toBeUndefined();
      expect(given).toEqual(value);
      expect(text).toBe(JSON.stringify(value));
      expect(formatIn(emulator.requests[0]!.body as Wire)).toMatchObject({
        strict: true,
        schema: { type: "object", required: ["answer"], additionalProperties: false },
      });
    },
  );

  test("that is an object of zod is asked for closed and strict, as is the input of a tool", async () => {
    await using emulator = await start(['{"a":1}']);
    const schema = z.object({ a: z.number(), in: z.object({ b: z.string() }).optional() });
    const plain = z.object({ a: z.number() });
    const tool = { description: "Adds", execute: () => "ok" };
    const agent = createAgent({
      model: model(emulator),
      output: plain,
      tools: [
        defineTool({ ...tool, name: "plain", input: plain }),
        defineTool({ ...tool, name: "optional", input: schema }),
      ],
    });

    await agent.runTurn({ input: "Go" }).response;

    const body = emulator.requests[0]!.body as Wire;
    expect(formatIn(body)).toMatchObject({ strict: true, schema: { additionalProperties: false } });
    const declared = body.tools?.map((one) => one.function ?? one);
    expect(declared?.[0]).toMatchObject({
      strict: true,
      parameters: { additionalProperties: false },
    });
    expect(declared?.[1]?.strict ?? false).toBe(false);
    expect(declared?.[1]?.parameters).toMatchObject({
      additionalProperties: false,
      properties: { in: { additionalProperties: false } },
      required: ["a"],
    });
  });
});

test("a model of the AI SDK is asked for an array in an object", async () => {
  await using emulator = await openAiResponsesEmulator([say('{"answer":[2,3]}')]);
  const house = createOpenAI({ baseURL: emulator.url, apiKey }).responses("gpt-5.5");
  const model = { ...fromAiSdk(house), facts: { contextWindow: 400_000 } };
  const agent = createAgent({ model, output: z.array(z.number()) });

  const { output } = await agent.runTurn({ input: "Go" }).response;

  expect(output).toEqual([2, 3]);
  expect((emulator.requests[0]!.body as Wire).text?.format.strict).toBe(true);
});

describe("a server without formats", () => {
  const list = z.array(z.number());

  test("that is known for it is told the schema, and asked for JSON", async () => {
    await using emulator = await openAiChatEmulator([say('{"answer":[2]}')], {
      dialect: "deepseek",
    });
    const model = vendors["deepseek"]!("deepseek-chat", { baseUrl: emulator.url, apiKey });
    const agent = createAgent({ model, output: list, instructions: "You list primes." });

    const { output } = await agent.runTurn({ input: "Go" }).response;

    const { response_format, messages } = emulator.requests[0]!.body as Wire;
    expect(output).toEqual([2]);
    expect(response_format).toEqual({ type: "json_object" });
    expect(messages?.[0]?.content).toMatch(/^You list primes\.\n\n.*"type":"number"/);
  });

  test("is asked again with the schema in the prompt, and then at once", async () => {
    const asked: { readonly body: string }[] = [];
    const url = await serve(
      recording(asked as never, (response) => {
        const isRefused = asked.at(-1)?.body.includes("response_format") === true;
        const refusal = { error: { message: "This response_format type is unavailable now" } };
        const choice = { message: { content: "[2,3]" }, finish_reason: "stop", index: 0 };
        response
          .writeHead(isRefused ? 400 : 200, { "content-type": "application/json" })
          .end(JSON.stringify(isRefused ? refusal : { choices: [choice] }));
      }),
    );
    const model = vendors["groq"]!("openai/gpt-oss-20b", { baseUrl: url, apiKey });
    const agent = createAgent({ model, output: list });

    const first = await agent.runTurn({ input: "Go" }).response;
    const second = await agent.runTurn({ input: "Go" }).response;

    const bodies = asked.map(({ body }) => JSON.parse(body) as Wire);
    expect([first.output, second.output]).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(bodies.map((body) => Object.hasOwn(body, "response_format"))).toEqual([
      true,
      false,
      false,
    ]);
    expect(bodies[2]?.messages?.[0]).toMatchObject({
      role: "system",
      content: expect.stringContaining('"type":"number"'),
    });
  });
});
