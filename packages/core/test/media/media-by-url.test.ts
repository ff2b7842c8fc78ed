import { createAgent, createSession, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const picture = {
  type: "image",
  mediaType: "image/png",
  url: "https://files.example/a.png",
} as const;

test("pictures by URL of users and tools are part of the conversation as they are", async () => {
  const model = scriptedProvider([callTool("look", {}), say("A cat."), say("Still a cat.")], {
    contextWindow: 100_000,
  });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    execute: () => [picture],
  });
  const session = createSession({ agent: createAgent({ model, tools: [look] }) });

  await session.send([{ type: "text", text: "Look" }, picture]).response;
  await session.send("And now?").response;
  const contents = model.requests.at(-1)?.messages.map(({ role, ...rest }) => ({ role, ...rest }));
  await session.close();

  expect(contents).toMatchObject([
    { role: "user", content: [{ type: "text" }, picture] },
    { role: "assistant" },
    { role: "tool", content: [picture] },
    { role: "assistant" },
    { role: "user" },
  ]);
});

test("a tool's picture by a URL that no vendor fetches is left out", async () => {
  const model = scriptedProvider([callTool("look", {}), say("Nothing.")], {
    contextWindow: 100_000,
  });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    execute: () => [{ ...picture, url: "file:///etc/passwd" }],
  });

  await createAgent({ model, tools: [look] }).runTurn({ input: "Look" }).response;

  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("The image was left out");
});
