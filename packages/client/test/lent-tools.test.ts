/** Tools of the client: who runs a call, how often, and what becomes of it when a tab is gone. */
import { lendTool } from "@capstan/client";
import type { LentToolContext } from "@capstan/client";
import type { JsonValue, ToolContract, ToolEffect } from "@capstan/kernel";
import { callTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { client, serve } from "./transports.ts";

const input = { type: "object" } as const;

/** Notes who runs it with what. */
function noting(runs: JsonValue[], tab: string, more: Partial<ToolContract> = {}): ToolContract {
  const tool = lendTool({
    name: "pick",
    description: "Picks",
    input,
    execute: ({ n = 0 }) => {
      runs.push([tab, n]);
      return `picked by ${tab}`;
    },
  });
  return { ...tool, ...more };
}

const picks = reply(
  callTool("pick", { n: 1 }),
  callTool("pick", { n: 2 }),
  callTool("pick", { n: 3 }),
);

test("two tabs with the same tools: each call runs once, and both see the end", async () => {
  const { node } = await serve([say("Hi"), picks, say("Done")]);
  const runs: [string, number][] = [];
  const tabs = ["one", "two"].map((tab) =>
    client(node.url, { tools: [noting(runs, tab)], client: tab, takeOverMs: 0 }).session("chat"),
  );
  const [one, two] = tabs as [(typeof tabs)[0], (typeof tabs)[0]];
  const ended = Promise.withResolvers<void>();
  await one.send("Hello").response;
  const told: string[] = [];
  two.subscribe(({ type, turnId }) => {
    told.push(type);
    if (type === "turn_end" && turnId === "t1__2") ended.resolve();
  });

  const { text } = await one.send("Pick", { id: "t1" }).response;
  await ended.promise;

  expect(text).toBe("Done");
  expect(runs.map(([, n]) => n).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  expect(two.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
});

test("a client-side tool gets the id of its session as sessionId, and no other name for it", async () => {
  const { node } = await serve([callTool("pick", {}), say("Done")]);
  const contexts: LentToolContext[] = [];
  const pick = lendTool({
    name: "pick",
    description: "Picks",
    input,
    execute: (_, context) => {
      contexts.push(context);
      return "picked";
    },
  });
  const session = client(node.url, { tools: [pick] }).session("chat");

  const events = await Array.fromAsync(session.send("Pick", { id: "t1" }));

  const [first] = events;
  expect(first?.sessionId).toBeTypeOf("string");
  expect(contexts.map(({ sessionId }) => sessionId)).toEqual([first?.sessionId]);
  expect(contexts.filter((context) => "conversationId" in context)).toEqual([]);
  expect([...new Set(events.map(({ sessionId }) => sessionId))]).toEqual([first?.sessionId]);
  expect(events.filter((event) => "conversationId" in event)).toEqual([]);
});

test("a call of another client's tool is left to that client", async () => {
  const { node } = await serve([say("Hi"), callTool("pick", {}), say("Done")]);
  const runs: JsonValue[] = [];
  const gate = Promise.withResolvers<void>();
  // The one that lent it is slow.
  const slowly: typeof fetch = async (url, init) => {
    if (typeof url === "string" && url.endsWith("/claims")) await gate.promise;
    return fetch(url, init);
  };
  const mine = client(node.url, { tools: [noting(runs, "mine")], fetch: slowly }).session("chat");
  await mine.send("Hello").response;
  const tools = [noting(runs, "other")];
  const other = client(node.url, { tools, takeOverMs: 60_000 }).session("chat");
  const turn = mine.send("Pick", { id: "t1" });
  const waits = Promise.withResolvers<void>();
  other.subscribe((event) => {
    if (event.type === "turn_end" && event.turnId === "t1") waits.resolve();
  });
  await waits.promise;

  // Long enough for the other one to claim it, if it would.
  await other.refresh();
  await other.refresh();
  gate.resolve();
  await turn.response;

  expect(runs).toEqual([["mine", 0]]);
});

test("a page that is loaded again goes on with the calls that wait, and with their turn", async () => {
  const { node } = await serve([callTool("pick", { n: 7 }), say("Done")]);
  const runs: JsonValue[] = [];
  const before = client(node.url, {
    tools: [noting(runs, "old", { execute: () => new Promise(() => {}) })],
    takeOverMs: 60_000,
  });
  // Lends the tool, and is gone before it has claimed the call.
  const lending = before.session("chat").send("Pick", { id: "t1" });
  for await (const event of lending)
    if (event.type === "message_end" && event.message.role === "assistant") before.close();

  const page = client(node.url, { tools: [noting(runs, "new")], takeOverMs: 0, claimMs: 50 });
  const session = page.session("chat");
  const turn = await session.current();
  const events = await Array.fromAsync(turn ?? []);
  const response = await turn?.response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(turn?.id).toBe("t1");
  expect(events[0]).toMatchObject({ type: "turn_start", turnId: "t1", input: ["t1"] });
  expect(await session.current()).toBeUndefined();
});

test.each<[ToolEffect, string]>([
  ["at-most-once", "unknown"],
  ["idempotent", "picked by new"],
])("a tab is gone while it ran a tool of effect %s: the result says %s", async (effect, output) => {
  const { node } = await serve([callTool("pick", {}), say("Done")]);
  const runs: JsonValue[] = [];
  const started = Promise.withResolvers<void>();
  const hanging = noting(runs, "old", {
    execute: () => {
      started.resolve();
      return new Promise(() => {});
    },
  });
  const before = client(node.url, { tools: [hanging], claimMs: 50 });
  before.session("chat").send("Pick");
  await started.promise;
  before.close();

  const page = client(node.url, {
    tools: [noting(runs, "new", { effect })],
    takeOverMs: 0,
    claimMs: 50,
  });
  const turn = await page.session("chat").current();
  const response = await turn?.response;

  expect(response?.text).toBe("Done");
  expect(JSON.stringify(response?.messages)).toContain(output);
});

test("an input that the schema of the tool refuses never reaches its code", async () => {
  const { node, provider } = await serve([callTool("pick", { email: "no" }), say("Sorry")]);
  const runs: JsonValue[] = [];
  const issues = [{ message: "not an address" }];
  const strict = noting(runs, "me", { parseInput: () => ({ issues }) });

  await client(node.url, { tools: [strict] })
    .createSession()
    .send("Pick").response;

  expect(runs).toEqual([]);
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
    isError: true,
    content: expect.stringContaining("not an address"),
  });
});

test("a tool may stream, and its last word is the answer", async () => {
  const { node, provider } = await serve([callTool("pick", {}), callTool("pick", {}), say("Done")]);
  const runs: JsonValue[] = [];
  const streaming = noting(runs, "me", {
    async *execute() {
      yield { type: "delta", delta: "half " };
      yield { type: "complete", output: "whole", details: { n: 1 } };
    },
  });

  const { messages } = await client(node.url, { tools: [streaming] })
    .createSession()
    .send("Go").response;

  expect(messages[1]).toMatchObject({ content: "whole", details: { n: 1 }, isError: false });
  expect(provider.requests).toHaveLength(3);
});
