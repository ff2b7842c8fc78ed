/** Value of `run`: that of the agent's schema, or the text. */
import { createAgent, createSession, doneTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const output = z.object({ colour: z.enum(["red", "blue"]), at: z.coerce.date() });
const blue = say('{"colour":"blue","at":"2026-11-15"}');
const value = { colour: "blue", at: new Date("2026-11-15") };

test("run gives the value of the schema, of an agent and of its session", async () => {
  const agent = createAgent({ model: scriptedProvider([blue, blue]), output });

  expect(await agent.run("Which?")).toEqual(value);
  expect(await createSession({ agent }).run("Which?")).toEqual(value);
});

test("without a schema, run gives the text", async () => {
  const agent = createAgent({ model: scriptedProvider([say("Blue."), say("Blue.")]) });

  expect(await agent.run("Which?")).toBe("Blue.");
  expect(await createSession({ agent }).run("Which?")).toBe("Blue.");
});

test("a value may be anything that the schema makes, also undefined", async () => {
  const nothing = z.object({}).transform(() => undefined);
  const agent = createAgent({ model: scriptedProvider([say("{}")]), output: nothing });

  expect(await agent.run("Which?")).toBeUndefined();
});

test("a turn that a tool ends with a text has no value, so run throws", async () => {
  const script = [callTool("done", { message: "Enough." }), callTool("done", { message: "Done." })];
  const agent = createAgent({ model: scriptedProvider(script), output, tools: [doneTool()] });
  const error = { code: "no_answer", message: expect.stringContaining("output schema") };

  await expect(agent.run("Which?")).rejects.toMatchObject(error);
  await expect(createSession({ agent }).run("Which?")).rejects.toMatchObject(error);
});
