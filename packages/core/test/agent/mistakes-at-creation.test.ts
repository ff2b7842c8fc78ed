/** Mistakes that TypeScript would find, made from JavaScript: each is refused when the agent, tool or host is created. */
import { createAgent, createHost, createSession, defineTool } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { echoTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const model = () => scriptedProvider([say("Hi")]);
const base = { name: "t", description: "A tool", input: z.object({}) };

/** A schema of zod 3.25, as far as it is looked at. */
const zod3 = { _def: {}, parse() {}, "~standard": { version: 1, vendor: "zod", validate() {} } };
/** A schema of zod 3.23, which is no Standard Schema. */
const oldZod3 = { _def: { typeName: "ZodObject" }, parse() {}, safeParse() {} };
const valibot = { kind: "schema", "~standard": { version: 1, vendor: "valibot", validate() {} } };
const aiSdkModel = { specificationVersion: "v4", provider: "p", modelId: "m", doStream() {} };

test.each<[string, () => unknown, RegExp]>([
  ["no options", () => createAgent(undefined as never), /needs a model/],
  ["no model", () => createAgent({} as never), /needs a model/],
  ["a model that is none", () => createAgent({ model: 42 } as never), /not a number/],
  ["an AI SDK model", () => createAgent({ model: aiSdkModel } as never), /fromAiSdk/],
  ["a model without a provider", () => createAgent({ model: { id: "m" } } as never), /provider/],
  [
    "a misspelled option",
    () => createAgent({ model: model(), instruction: "x" } as never),
    /"instruction".*"instructions"/,
  ],
  [
    "a misspelled level",
    () => createAgent({ model: model(), thinkingLevel: "hihg" } as never),
    /"hihg".*high/,
  ],
  [
    "two tools of one name",
    () => createAgent({ model: model(), tools: [echoTool(), echoTool()] }),
    /two tools.*"echo"/,
  ],
  [
    "an undefined tool",
    () => createAgent({ model: model(), tools: [echoTool(), undefined] } as never),
    /tools\[1\].*undefined/,
  ],
  [
    "a tool that is a function",
    () => createAgent({ model: model(), tools: [() => "x"] } as never),
    /tools\[0\].*defineTool/,
  ],
  [
    "tools that are no list",
    () => createAgent({ model: model(), tools: {} } as never),
    /tools must be a list/,
  ],
])("an agent with %s is refused with a readable error", (_, create, message) => {
  expect(create).toThrow(
    expect.objectContaining({ name: "AgentError", message: expect.stringMatching(message) }),
  );
});

test.each<[string, () => unknown, RegExp]>([
  [
    "a misspelled option",
    () => defineTool({ ...base, timeout: 5 } as never),
    /"timeout".*"timeoutMs"/,
  ],
  ["a schema of zod 3", () => defineTool({ ...base, input: zod3 } as never), /zod 3.*zod 4/],
  ["a schema of an older zod 3", () => defineTool({ ...base, input: oldZod3 }), /zod 3.*zod 4/],
  [
    "a schema of Valibot",
    () => defineTool({ ...base, input: valibot } as never),
    /valibot.*toStandardJsonSchema/,
  ],
  [
    "an input that is no schema",
    () => defineTool({ ...base, input: "city" } as never),
    /must be a schema/,
  ],
  ["no input", () => defineTool({ name: "t", description: "d" } as never), /must be a schema/],
  ["no definition", () => defineTool(undefined as never), /definition/],
  [
    "an execute that is no function",
    () => defineTool({ ...base, execute: "x" } as never),
    /execute must be a function/,
  ],
])("a tool with %s is refused with a readable error", (_, define, message) => {
  expect(define).toThrow(
    expect.objectContaining({ name: "ToolError", message: expect.stringMatching(message) }),
  );
});

test.each<[string, () => unknown, RegExp]>([
  [
    "no agents",
    () => createHost({ repository: memoryRepository() } as never),
    /agents must be a list/,
  ],
  [
    "something else as an agent",
    () => createHost({ agents: [{ model: 1 }], repository: memoryRepository() } as never),
    /agents\[0\].*createAgent/,
  ],
  [
    "no repository",
    () => createHost({ agents: [createAgent({ model: model() })] } as never),
    /repository/,
  ],
  [
    "two agents of one name",
    () =>
      createHost({
        agents: [createAgent({ model: model() }), createAgent({ model: model() })],
        repository: memoryRepository(),
      }),
    /two agents.*"agent"/,
  ],
  ["a session without an agent", () => createSession({} as never), /agents\[0\].*createAgent/],
])("a host with %s is refused with a readable error", (_, create, message) => {
  expect(create).toThrow(
    expect.objectContaining({
      name: "SessionError",
      code: "invalid_input",
      message: expect.stringMatching(message),
    }),
  );
});

test("an agent does not change when the objects it was made of do", async () => {
  const provider = scriptedProvider([say("Hi")]);
  const tools = [echoTool()];
  const init = { model: provider, tools, instructions: "Be kind." };
  const agent = createAgent(init);

  tools.push(echoTool({ name: "another" }));
  init.instructions = "Be rude.";
  await agent.run("Hello");

  expect(agent.tools.map(({ name }) => name)).toEqual(["echo"]);
  expect(Object.isFrozen(agent.tools)).toBe(true);
  expect(provider.requests[0]?.options).toMatchObject({ systemPrompt: "Be kind." });
});
