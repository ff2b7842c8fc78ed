import { createAgent } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { servedWorld, sessionOf, textsOf } from "./served-world.ts";

describe.each([
  ["2026-07-28", false],
  ["2025-11-25", true],
])("a client of %s", (_version, isLegacy) => {
  test("finds a tool for each agent, and gets the agent's answer and its session", async () => {
    const agent = createAgent({ name: "helper", model: scriptedProvider([say("Hello, Ada")]) });
    await using world = await servedWorld([agent], {
      agents: { helper: { description: "Helps", title: "Helper" } },
    });
    const client = await world.connect({ isLegacy });

    const { tools } = await client.listTools();
    const result = await client.callTool({ name: "helper", arguments: { prompt: "Greet Ada" } });

    expect(tools).toMatchObject([
      { name: "helper", title: "Helper", description: "Helps", inputSchema: { type: "object" } },
    ]);
    expect(textsOf(result)).toEqual(["Hello, Ada", `session: ${sessionOf(result)}`]);
    const session = await world.host.open(sessionOf(result));
    expect([session.principal, session.messages.length]).toEqual(["ann", 2]);
  });

  test("continues a session by its id", async () => {
    const model = scriptedProvider([say("one"), say("two")]);
    await using world = await servedWorld([createAgent({ name: "helper", model })]);
    const client = await world.connect({ isLegacy });
    const first = await client.callTool({ name: "helper", arguments: { prompt: "1" } });

    const session = sessionOf(first);
    const second = await client.callTool({ name: "helper", arguments: { prompt: "2", session } });
    const again = await client.callTool({ name: "helper", arguments: { session } });

    expect(sessionOf(second)).toBe(session);
    expect(model.requests[1]?.messages).toHaveLength(3);
    expect(textsOf(again)).toEqual(textsOf(second));
  });

  test("gets the typed answer of an agent as structured content that fits its schema", async () => {
    const output = z.object({ sum: z.number() });
    const model = scriptedProvider([say('{"sum":3}')]);
    await using world = await servedWorld([createAgent({ name: "adder", model, output })]);
    const client = await world.connect({ isLegacy });

    const { tools } = await client.listTools();
    const result = await client.callTool({ name: "adder", arguments: { prompt: "1 + 2" } });

    expect(tools[0]?.outputSchema).toMatchObject({ properties: { sum: { type: "number" } } });
    expect(result.structuredContent).toEqual({ sum: 3 });
  });

  test("calls an agent with an input of its own", async () => {
    const model = scriptedProvider([say("done")]);
    await using world = await servedWorld([createAgent({ name: "helper", model })], {
      agents: {
        helper: {
          name: "review",
          description: "Reviews a file",
          input: z.object({ file: z.string() }),
          toPrompt: (input) => `Review ${(input as { file: string }).file}`,
        },
      },
    });
    const client = await world.connect({ isLegacy });

    await client.callTool({ name: "review", arguments: { file: "a.ts" } });
    const wrong = client.callTool({ name: "review", arguments: { file: 5 } });

    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ content: "Review a.ts" });
    await expect(wrong).rejects.toMatchObject({ code: -32_602 });
  });

  test("is shown progress", async () => {
    await using world = await servedWorld([
      createAgent({ name: "helper", model: scriptedProvider([say("one")]) }),
    ]);
    const client = await world.connect({ isLegacy });
    const seen: (string | undefined)[] = [];

    const onprogress = ({ message }: { readonly message?: string | undefined }): void =>
      void seen.push(message);
    await client.callTool({ name: "helper", arguments: { prompt: "1" } }, { onprogress });

    expect(seen).toEqual(["started", "step 1", "done"]);
  });
});
