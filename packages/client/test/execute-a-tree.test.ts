/** Turns over HTTP whose events include those of the sessions below. */
import { execute } from "@capstan/client/tree";
import { agentTool, createAgent } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import { callTool, echoTool, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { cuttingProxy } from "./cutting-proxy.ts";
import { client, retry, serve } from "./transports.ts";
import { factsOf, rootOf, wholeOf } from "./tree-facts.ts";

const ask = (task: string): ScriptItem => callTool("reader", { task });

function reader(script: readonly ScriptItem[], tools: readonly ToolContract[] = []): ToolContract {
  const model = scriptedProvider([...script]);
  const agent = createAgent({ name: "reader", model, tools, retry: { maxAttempts: 1 } });
  return agentTool(agent, { description: "Reads" });
}

test("a turn of a new session has the events of its children, and its own end last", async () => {
  const repository = memoryRepository();
  const tools = [reader([say(["a ", "book"]), say("a page")])];
  const { node } = await serve([reply(ask("A"), ask("B")), say("Done")], { tools, repository });
  const session = client(node.url).session("chat");

  const turn = execute(session, "Go", { tree: true });
  const events = await Array.fromAsync(turn);

  const id = rootOf(repository);
  expect(Object.keys(factsOf(events))).toHaveLength(3);
  expect(factsOf(events)).toEqual(wholeOf(repository, id));
  expect(events.at(-1)).toMatchObject({ type: "turn_end", sessionId: id });
  expect(await turn.response).toMatchObject({ status: "completed", text: "Done" });
});

test.each([3, 7])(
  "with connections that are cut every %i frames nothing is missing and nothing comes twice",
  async (everyFrames) => {
    const repository = memoryRepository();
    const tools = [reader([callTool("echo", {}), say("a book"), say("a page")], [echoTool()])];
    const { node } = await serve([reply(ask("A"), ask("B")), say("Done")], { tools, repository });
    const proxy = await cuttingProxy(node.url, { everyFrames });
    const session = client(proxy.url, { retry }).session("chat");

    const events = await Array.fromAsync(execute(session, "Go", { tree: true }));

    expect(factsOf(events)).toEqual(wholeOf(repository, rootOf(repository)));
  },
);

test("a turn that was sent before, and has ended, ends again", async () => {
  const { node } = await serve([ask("A"), say("Done"), say("More")], {
    tools: [reader([say("a book")])],
  });
  const session = client(node.url).session("chat");
  await session.send("Go", { id: "t1" }).response;
  await session.send("On", { id: "t2" }).response;

  const again = client(node.url).session("chat");
  const events = await Array.fromAsync(execute(again, "Go", { id: "t1", tree: true }));

  expect(events.at(-1)).toMatchObject({ type: "turn_end", turnId: "t1" });
});

test("answers continue it, with the events of the child that waited", async () => {
  const tools = [
    reader([callTool("echo", {}), say("a book")], [echoTool({ needsApproval: true })]),
  ];
  const { node } = await serve([ask("A"), say("Done")], { tools });
  const session = client(node.url).session("chat");
  const { pendingToolCalls = [] } = await execute(session, "Go", { tree: true }).response;
  const answers = pendingToolCalls.map(({ toolCallId, hash }) => ({
    toolCallId,
    hash,
    approved: true,
  }));

  const events = await Array.fromAsync(execute(session, answers, { tree: true }));

  expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(2);
  expect(events.at(-1)).toMatchObject({ type: "turn_end", finishReason: "stop" });
});

test("a turn that is refused has its error as the last event", async () => {
  const { node } = await serve([say("Hi")]);
  const session = client(node.url).session("chat");

  const turn = execute(session, "Go", { tree: true, model: "unknown/model" });
  const events = await Array.fromAsync(turn);

  expect(events.map(({ type }) => type)).toEqual(["error"]);
  expect((await turn.response).error?.code).toBe("invalid_request");
});

test("without `tree` it is a send", async () => {
  const { node } = await serve([ask("A"), say("Done")], { tools: [reader([say("a book")])] });
  const session = client(node.url).session("chat");

  const events = await Array.fromAsync(execute(session, "Go"));

  expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(1);
});
