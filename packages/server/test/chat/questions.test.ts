/** Forms of MCP servers on pages of the AI SDK: calls of a page's tool, whose outputs reach the server. */
import { mcpTools } from "@capstan/mcp";
import { callTool, say } from "@capstan/testing";
import { isToolUIPart, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { expect, onTestFinished, test } from "vitest";
import type { WireAnswer, WireServer } from "../../../mcp/test/wire-server.ts";
import { declared, modernServer, textResult } from "../../../mcp/test/wire-server.ts";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";
import type { Page } from "./page.ts";
import { openPage } from "./page.ts";

const schema = {
  type: "object",
  properties: { account: { type: "string", enum: ["blue", "red"] } },
  required: ["account"],
};

function asks(message: string): WireAnswer {
  const params = { mode: "form", message, requestedSchema: schema };
  const inputRequests = { q: { method: "elicitation/create", params } };
  return { result: { resultType: "input_required", inputRequests, requestState: message } };
}

/** Asks these questions one after the other, then tells the last answer. */
async function bank(...messages: readonly string[]): Promise<WireServer> {
  const server = await modernServer([declared("pay")], ({ method, params }) => {
    if (method !== "tools/call") return undefined;
    const next = messages[messages.indexOf(String(params["requestState"])) + 1];
    return next === undefined ? textResult(JSON.stringify(params["inputResponses"])) : asks(next);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function serving({ url }: WireServer): Promise<World> {
  const mcp = mcpTools({ servers: { bank: { url } } });
  onTestFinished(() => mcp.close());
  return createWorld([callTool("bank__pay", { amount: 5 }), say("Paid")], {
    agent: { toolSources: [mcp] },
  });
}

const answering = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls };

const partsOf = (page: Page) => page.lastMessage?.parts.filter(isToolUIPart) ?? [];
const openQuestion = (page: Page) =>
  partsOf(page).find((part) => part.type === "tool-question" && part.state === "input-available");

async function answer(page: Page, output: unknown): Promise<void> {
  const { toolCallId = "" } = openQuestion(page) ?? {};
  await page.addToolOutput({ tool: "question", toolCallId, output });
}

test.each([5, 6, 7])(
  "a form is a call of the page's tool, with version %i of the SDK",
  async (protocol) => {
    const server = await bank("Which account?");
    const page = openPage(await serving(server), { protocol, ...answering });
    await page.sendMessage({ text: "Pay" });

    expect(openQuestion(page)).toMatchObject({
      input: {
        toolName: "bank__pay",
        input: { server: "bank", tool: "pay", mode: "form", message: "Which account?", schema },
      },
    });
    await answer(page, { account: "blue" });
    await page.whenSent(2);

    expect(page.error).toBeUndefined();
    expect(partsOf(page)).toMatchObject([
      {
        type: "tool-bank__pay",
        state: "output-available",
        output: '{"q":{"action":"accept","content":{"account":"blue"}}}',
      },
      { type: "tool-question", state: "output-available", output: { account: "blue" } },
    ]);
    expect(page.lastParts.at(-1)).toMatchObject({ type: "text", text: "Paid" });
  },
);

test("an answer that does not fit is asked again, and an answer counts for its own question only", async () => {
  const server = await bank("Which account?", "Really?");
  const page = openPage(await serving(server), answering);
  await page.sendMessage({ text: "Pay" });
  await answer(page, { account: "green" });
  await page.whenSent(2);
  expect(openQuestion(page)).toMatchObject({ input: { input: { problem: /account/ } } });
  await answer(page, { account: "blue" });
  await page.whenSent(3);
  expect(openQuestion(page)).toMatchObject({ input: { input: { message: "Really?" } } });
  await answer(page, { account: "red" });
  await page.whenSent(4);

  expect(partsOf(page)[0]).toMatchObject({
    output: '{"q":{"action":"accept","content":{"account":"red"}}}',
  });
  expect(server.named("tools/call")).toHaveLength(3);
});

test("the page can decline, as the protocol has it", async () => {
  const server = await bank("Which account?");
  const page = openPage(await serving(server), answering);
  await page.sendMessage({ text: "Pay" });
  await answer(page, { action: "decline" });
  await page.whenSent(2);

  expect(partsOf(page)[0]).toMatchObject({ output: '{"q":{"action":"decline"}}' });
});

test("a page that is opened again shows the form, and answers it", async () => {
  const server = await bank("Which account?");
  const world = await serving(server);
  const first = openPage(world);
  await first.sendMessage({ text: "Pay" });
  const page = openPage(world, { ...answering, messages: structuredClone(first.messages) });
  await answer(page, { account: "red" });
  await page.whenSent(1);

  expect(partsOf(page)[0]).toMatchObject({ state: "output-available" });
});
