import type { ChatMessage, ThinkingLevel, ToolMessage } from "@capstan/kernel";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { fromAiSdkTools } from "../../src/ai-sdk.ts";
import { askedWith, finish, modelThatSends, origin, partsOf, reply, tool } from "./models.ts";

test("a request that asks for nothing special has a prompt and a signal", async () => {
  const { abortSignal, ...asked } = await askedWith({});

  expect(asked).toEqual({ prompt: [{ role: "user", content: [{ type: "text", text: "Hello" }] }] });
  expect(abortSignal?.aborted).toBe(false);
});

test("what the caller wants is said in the AI SDK's words", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } } };

  const asked = await askedWith({
    options: {
      systemPrompt: "Be brief.",
      temperature: 0.3,
      maxTokens: 100,
      thinkingLevel: "high",
      headers: { "x-trace": "1" },
      output: { name: "place", schema },
    },
  });

  expect(asked).toMatchObject({
    prompt: [{ role: "system", content: "Be brief." }, { role: "user" }],
    temperature: 0.3,
    maxOutputTokens: 100,
    reasoning: "high",
    headers: { "x-trace": "1" },
    responseFormat: {
      type: "json",
      name: "place",
      schema: { ...schema, additionalProperties: false },
    },
  });
});

test.each([
  ["auto", { type: "auto" }],
  ["none", { type: "none" }],
  ["required", { type: "required" }],
  [{ tool: "echo" }, { type: "tool", toolName: "echo" }],
] as const)("tools are declared, and the choice %j is made", async (toolChoice, wanted) => {
  const asked = await askedWith({ tools: [tool], options: { toolChoice } });

  expect(asked.tools).toEqual([{ type: "function", ...tool }]);
  expect(asked.toolChoice).toEqual(wanted);
});

test("on the closing step no tool may be called, whatever the options say", async () => {
  const asked = await askedWith({
    tools: [tool],
    toolChoice: "none",
    options: { toolChoice: "required" },
  });

  expect(asked.toolChoice).toEqual({ type: "none" });
});

test("without tools there is nothing to choose", async () => {
  const asked = await askedWith({ options: { toolChoice: "required" } });

  expect(asked).not.toHaveProperty("tools");
  expect(asked).not.toHaveProperty("toolChoice");
});

test.each([
  ["off", "none"],
  ["minimal", "minimal"],
  ["max", "max"],
] as const)("the thinking level %s is asked for as %s", async (thinkingLevel, reasoning) => {
  expect((await askedWith({ options: { thinkingLevel } })).reasoning).toBe(reasoning);
});

test("a model that is known not to think is not asked to", async () => {
  const options = { thinkingLevel: "high", modelFacts: { thinking: false } } as const;

  expect(await askedWith({ options })).not.toHaveProperty("reasoning");
});

test("a level that the model is known not to have becomes the nearest that it has", async () => {
  const thinking = { off: null, minimal: null, low: 1024, medium: "normal", high: null };
  const askFor = async (thinkingLevel: ThinkingLevel): Promise<unknown> => {
    const asked = await askedWith({ options: { thinkingLevel, modelFacts: { thinking } } });
    return asked.reasoning;
  };

  expect(await askFor("off")).toBe("low");
  expect(await askFor("low")).toBe("low");
  expect(await askFor("high")).toBe("medium");
});

test("a step that another model began goes on without thinking, which some models insist on", async () => {
  const call = { type: "tool_call", id: "k", name: "echo", input: {} } as const;
  const result: ToolMessage = {
    role: "tool",
    id: "k",
    toolCallId: "k",
    toolName: "echo",
    content: "Done",
    isError: false,
  };
  const own = reply([call], { stopReason: "tool-calls" });
  const foreign = { ...own, origin: { ...origin, model: "m-2" } };
  const options = { thinkingLevel: "high" } as const;
  const hello: ChatMessage = { role: "user", id: "u", content: "Hello" };

  const going = await askedWith({ messages: [hello, own, result], options });
  const switched = await askedWith({ messages: [hello, foreign, result], options });
  const next = await askedWith({ messages: [hello, foreign, result, hello], options });

  expect(going.reasoning).toBe("high");
  expect(switched).not.toHaveProperty("reasoning");
  expect(next.reasoning).toBe("high");
});

test("every object of a schema for the answer is closed, as the AI SDK has it", async () => {
  const open = { type: "object", properties: { type: { type: "string" } } };
  const schema = {
    type: "object",
    properties: { list: { type: "array", items: open }, enum: open },
    $defs: { either: { anyOf: [open, { type: "null" }] } },
    additionalProperties: { type: "object" },
    default: { type: "object" },
  };

  const { responseFormat } = await askedWith({ options: { output: { name: "o", schema } } });

  const closed = { ...open, additionalProperties: false };
  expect(responseFormat).toHaveProperty("schema", {
    type: "object",
    properties: { list: { type: "array", items: closed }, enum: closed },
    $defs: { either: { anyOf: [closed, { type: "null" }] } },
    additionalProperties: { type: "object", additionalProperties: false },
    default: { type: "object" },
  });
});

test.each([
  ["openai.responses", ["a"], undefined],
  ["openai.responses", [], { openai: { strictJsonSchema: false } }],
  ["azure.chat", [], { azure: { strictJsonSchema: false } }],
  ["mock.chat", [], undefined],
])("%s is not held to a schema that it cannot be held to", async (provider, required, wanted) => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required };
  const model = modelThatSends([finish()]);
  const named = new MockLanguageModelV4({ provider, doStream: model.doStream });

  await partsOf(named, { options: { output: { name: "o", schema } } });

  expect(named.doStreamCalls[0]?.providerOptions).toEqual(wanted);
});

test("what only the provider knows is passed on, and so are the settings that the AI SDK has a word for", async () => {
  const asked = await askedWith({
    options: {
      providerOptions: {
        openai: { store: false },
      },
      topP: 0.5,
      topK: 3,
      seed: 7,
      stop: ["END"],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      serviceTier: "flex",
    },
  });

  expect(asked.providerOptions).toEqual({ openai: { store: false } });
  expect(asked).toMatchObject({
    topP: 0.5,
    topK: 3,
    seed: 7,
    stopSequences: ["END"],
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
  });
  expect(asked).not.toHaveProperty("serviceTier");
});

test("tools of the AI SDK are declared with what they say to its models", async () => {
  const tools = fromAiSdkTools({
    strict: {
      description: "Strict",
      inputSchema: { jsonSchema: { type: "object" } },
      strict: true,
      providerOptions: { vendor: { cache: true } },
    },
    search: {
      type: "provider",
      id: "vendor.web_search",
      args: { maxUses: 2 },
      isProviderExecuted: true,
    },
  });

  const asked = await askedWith({ tools });

  expect(asked.tools).toEqual([
    {
      type: "function",
      name: "strict",
      description: "Strict",
      inputSchema: { type: "object" },
      strict: true,
      providerOptions: { vendor: { cache: true } },
    },
    { type: "provider", id: "vendor.web_search", name: "search", args: { maxUses: 2 } },
  ]);
});
