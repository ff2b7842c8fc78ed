import { createAgent, createSession } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { callTool, runToEnd, say, scriptedProvider } from "@capstan/testing";
import type { ToolSet } from "ai";
import { dynamicTool, jsonSchema, tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import type { FromAiSdkToolsOptions } from "../../src/ai-sdk.ts";
import { fromAiSdkTools } from "../../src/ai-sdk.ts";

/** Runs one call of a tool named `look` through the kernel. */
async function callOf(look: ToolSet[string], input = {}, options?: FromAiSdkToolsOptions) {
  const tools = fromAiSdkTools({ look }, options);
  const provider = scriptedProvider([callTool("look", input), say("Done.")]);
  const turn = await runToEnd({ provider, tools });
  const [result] = turn.messages.filter((message) => message.role === "tool");
  return { turn, result, tools };
}

const inputSchema = z.object({ city: z.string() });
const city = { city: "Rome" };

test("an agent of ours runs a tool of the AI SDK", async () => {
  const calls: unknown[] = [];
  const weather = tool({
    description: "Weather of a city",
    inputSchema,
    execute: async ({ city }, { toolCallId, abortSignal, messages }) => {
      calls.push({ toolCallId, isAborted: abortSignal?.aborted, messages });
      return { city, degrees: 20 };
    },
  });
  const model = scriptedProvider([callTool("weather", city, { id: "k1" }), say("Warm.")]);
  const agent = createAgent({ model, tools: fromAiSdkTools({ weather }) });

  const session = createSession({ agent });
  const { text, messages } = await session.send("How is Rome?").response;

  expect(text).toBe("Warm.");
  expect(messages[1]).toMatchObject({ role: "tool", content: '{"city":"Rome","degrees":20}' });
  expect(calls).toMatchObject([{ isAborted: false, messages: [] }]);
  await session.close();
});

test("the model is shown what the tool says of itself", () => {
  const weather = tool({ title: "Weather", description: "Of a city", inputSchema });

  expect(fromAiSdkTools({ weather })).toMatchObject([
    {
      name: "weather",
      label: "Weather",
      description: "Of a city",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ]);
});

test.each<[string, ToolSet[string], boolean]>([
  ["zod", tool({ inputSchema, execute: async ({ city }) => city }), true],
  [
    "jsonSchema",
    tool({
      inputSchema: jsonSchema<{ city: string }>(
        { type: "object", properties: { city: { type: "string" } } },
        {
          validate: (value) => {
            const parsed = inputSchema.safeParse(value);
            return parsed.success
              ? { success: true, value: parsed.data }
              : { success: false, error: new Error("city is missing") };
          },
        },
      ),
      execute: async ({ city }) => city,
    }),
    true,
  ],
  [
    "jsonSchema without a check",
    dynamicTool({
      description: "",
      inputSchema: jsonSchema({ type: "object" }),
      execute: async () => "Rome",
    }),
    false,
  ],
])("the schema of %s is shown and holds", async (_, look, isChecked) => {
  const good = await callOf(look, city);
  const bad = await callOf(look, { town: 1 });

  expect(good.tools[0]?.inputSchema).toMatchObject({ type: "object" });
  expect(good.result).toMatchObject({ content: "Rome", isError: false });
  expect(bad.result?.isError).toBe(isChecked);
});

test("the last of the outputs that a tool yields is its result, and a text that grows is shown", async () => {
  const look = tool({
    inputSchema,
    async *execute() {
      yield "Sun";
      yield "Sunny";
      yield "Rain, all day";
      yield { degrees: 20 };
    },
  });

  const { turn, result } = await callOf(look, city);

  expect(result?.content).toBe('{"degrees":20}');
  const deltas = turn.events.filter((event) => event.type === "tool_execution_delta");
  expect(deltas.map(({ delta }) => delta)).toEqual(["Sun", "ny"]);
});

test.each([
  [{ type: "text", value: "Warm" }, "Warm", false],
  [{ type: "json", value: { warm: true } }, '{"warm":true}', false],
  [{ type: "error-text", value: "No" }, "No", true],
  [{ type: "error-json", value: { code: 1 } }, '{"code":1}', true],
  [{ type: "execution-denied", reason: "Not now" }, "Denied: Not now", true],
  [
    {
      type: "content",
      value: [
        { type: "text", text: "See" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1]) } },
        { type: "image-data", mediaType: "image/gif", data: "AQID" },
        { type: "file-data", mediaType: "application/pdf", data: "AQID", filename: "a.pdf" },
        { type: "image-url", url: "https://a.example/b.png" },
        { type: "custom" },
      ],
    },
    [
      { type: "text", text: "See" },
      { type: "image", mediaType: "image/png", data: "AQ==" },
      { type: "image", mediaType: "image/gif", data: "AQID" },
      { type: "document", mediaType: "application/pdf", data: "AQID", name: "a.pdf" },
      { type: "text", text: "[a file of type image at https://a.example/b.png]" },
    ],
    false,
  ],
] as const)(
  "what toModelOutput gives is what the model sees: %j",
  async (output, content, isError) => {
    const look = {
      inputSchema,
      execute: async () => ({ raw: 1 }),
      toModelOutput: () => output as never,
    };

    const { result } = await callOf(look, city);

    expect(result).toMatchObject({ content, isError, details: { raw: 1 } });
  },
);

test("a list of texts is JSON for the AI SDK, and so it is here", async () => {
  const list = [{ type: "text", text: "See" }];

  const { result } = await callOf(tool({ inputSchema, execute: async () => list }), city);

  expect(result?.content).toBe(JSON.stringify(list));
});

test("a tool that throws has failed, and one that says nothing has said so", async () => {
  const failing = tool({
    inputSchema,
    execute: async (): Promise<string> => {
      throw new Error("No such city");
    },
  });
  const silent = tool({ inputSchema, execute: async () => undefined });

  expect((await callOf(failing, city)).result).toMatchObject({
    content: "No such city",
    isError: true,
  });
  expect((await callOf(silent, city)).result).toMatchObject({
    content: "(no output)",
    isError: false,
  });
});

test("what a call here does not know can be given to tools", async () => {
  const seen: unknown[] = [];
  const look = tool({
    description: ({ context }: { context: { user: string } }) => `For ${context.user}`,
    inputSchema,
    contextSchema: z.object({ user: z.string() }),
    execute: async (_, { context, messages }) => {
      seen.push(context, messages);
    },
  });
  const messages = [{ role: "user", content: "Hi" } as const];

  const { tools } = await callOf(look, city, {
    messages: () => messages,
    context: { look: { user: "Ann" } },
  });

  expect(tools[0]?.description).toBe("For Ann");
  expect(seen).toEqual([{ user: "Ann" }, messages]);
});

test("a tool without execute is remote, and one that needs approval waits for it", async () => {
  const remote = await callOf(tool({ inputSchema, outputSchema: z.string() }), city);
  const asking = await callOf(
    { ...tool({ inputSchema, execute: async () => "Sunny" }), needsApproval: async () => true },
    city,
  );
  const free = await callOf(
    { ...tool({ inputSchema, execute: async () => "Sunny" }), needsApproval: () => false },
    city,
  );

  expect(remote.turn.pending).toMatchObject([{ kind: "execution", input: city }]);
  expect(asking.turn.pending).toMatchObject([{ kind: "approval", input: city }]);
  expect(free.result?.content).toBe("Sunny");
});

test("a schema that no model can be shown is refused, and the error names the tool", () => {
  const later = tool({ inputSchema: jsonSchema(Promise.resolve({ type: "object" })) });
  const odd = tool({ inputSchema: z.object({ when: z.date() }) });
  const plain = { inputSchema: { "~standard": { version: 1, vendor: "x", validate: () => ({}) } } };

  expect(() => fromAiSdkTools({ later })).toThrow(
    'The input schema of the tool "later" has no JSON Schema form',
  );
  expect(() => fromAiSdkTools({ plain })).toThrow(
    'The input schema of the tool "plain" has no JSON Schema form',
  );
  expect(() => fromAiSdkTools({ odd })).toThrow(
    'The input schema of the tool "odd" has no JSON Schema form',
  );
});

test("a tool that cannot say what it does without its context says that it needs it", () => {
  const look = {
    inputSchema,
    description: ({ context }: { context: { user: string } }) => `For ${context.user}`,
  };

  expect(() => fromAiSdkTools({ look })).toThrow('pass it as context: { "look": … }');
});

test("what comes out fits where tools of ours do", () => {
  const tools: readonly ToolContract[] = fromAiSdkTools({ look: tool({ inputSchema }) });

  expect(tools).toHaveLength(1);
});
