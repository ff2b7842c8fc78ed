import { createSimpleTool, doneTool, fail, ok } from "@capstan/core";
import { callTool, reply, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { ToolOutputSchema } from "../../src/tools/tool-output-schema.ts";

test("a simple tool gets the id of its call and the checked input, and gives output and details", async () => {
  const add = createSimpleTool(
    {
      name: "add",
      label: "Add",
      description: "Adds two numbers",
      input: z.object({ a: z.number(), b: z.number().default(1) }),
    },
    async (id, { a, b }) => ({ output: `${a + b}`, details: { id } }),
  );

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("add", { a: 2 }), say("Done")]),
    tools: [add],
  });

  const [call] = turn.recorder.ofType("tool_execution_start");
  const details = { id: call?.toolCallId };
  expect(turn.messages[1]).toMatchObject({ content: "3", isError: false, details });
});

test("a simple tool that fails gives an error result", async () => {
  const add = createSimpleTool(
    { name: "add", description: "Adds", input: { type: "object" } },
    () => {
      throw new Error("overflow");
    },
  );

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("add"), say("Done")]),
    tools: [add],
  });

  expect(turn.messages[1]).toMatchObject({ content: "overflow", isError: true });
});

test("the done tool ends the turn with its message", async () => {
  const provider = scriptedProvider([callTool("done", { message: "All set" })]);

  const turn = await runToEnd({ provider, tools: [doneTool()] });

  expect(turn.messages).toMatchObject([
    { role: "assistant" },
    { role: "tool", content: "All set", isError: false },
  ]);
  provider.assertComplete();
});

test("a done tool without its message does not end the turn", async () => {
  const turn = await runToEnd({
    provider: scriptedProvider([callTool("done"), say("Sorry")]),
    tools: [doneTool()],
  });

  expect(turn.messages[1]).toMatchObject({
    content: expect.stringContaining("message: is required"),
  });
  expect(turn.messages).toHaveLength(3);
});

test("a done tool with a schema of its own gives what was reported, as JSON", async () => {
  const submit = doneTool({
    name: "submit",
    description: "Submits the result",
    input: z.object({ total: z.number() }),
  });

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("submit", { total: 7 })]),
    tools: [submit],
  });

  expect(turn.messages[1]).toMatchObject({ content: '{"total":7}' });
  expect(turn.messages).toHaveLength(2);
});

test("a done tool that is called beside another one does not end the turn", async () => {
  const note = createSimpleTool(
    { name: "note", description: "Notes", input: { type: "object" } },
    () => ({ output: "noted" }),
  );
  const both = reply(callTool("note"), callTool("done", { message: "All set" }));

  const turn = await runToEnd({
    provider: scriptedProvider([both, say("Done now")]),
    tools: [note, doneTool()],
  });

  expect(turn.messages.at(-1)).toMatchObject({ role: "assistant" });
});

test.each([
  [
    "a success",
    ok("Booked", { seat: 4 }),
    { ok: true, outputMessage: "Booked", details: { seat: 4 } },
  ],
  ["a failure", fail("Full"), { ok: false, outputMessage: "Full" }],
])("%s in its envelope is what the schema of envelopes lets pass", (_, made, expected) => {
  expect(made).toEqual(expected);
  expect(ToolOutputSchema.parse(made)).toEqual(expected);
});

test("what is no envelope is refused by its schema", () => {
  expect(ToolOutputSchema.safeParse({ ok: true, output: "Booked" }).success).toBe(false);
  expect(ToolOutputSchema.safeParse({ ok: "yes", outputMessage: "" }).success).toBe(false);
});
