import assert from "node:assert/strict";
import { test } from "node:test";
import { createSession } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { createAssistant } from "../src/agent.ts";

test("the agent asks its tool for the weather and answers", async () => {
  const model = scriptedProvider([callTool("weather", { city: "Oslo" }), say("Wear sunglasses.")]);
  const session = createSession({ agent: createAssistant(model) });

  const { status, text } = await session.send("What should I wear in Oslo?").response;

  assert.equal(status, "completed");
  assert.equal(text, "Wear sunglasses.");
  assert.match(JSON.stringify(session.messages), /Sunny in Oslo/);
  model.assertComplete();
});
