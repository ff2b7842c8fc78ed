import { bindTools, createScope, defineTool, dependency, override } from "@capstan/core";
import {
  callTool,
  echoTool,
  failBefore,
  reply,
  runToEnd,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const Counter = dependency("counter", () => ({ count: 0 }));
const count = defineTool({
  name: "count",
  description: "Counts its calls",
  input: z.object({}),
  execute: async (_, { get }) => ++(await get(Counter)).count,
});
const twoCalls = [reply(callTool("count"), callTool("count")), say("Done")];

test("the calls of a turn share what they get from its scope", async () => {
  const scope = createScope();

  const turn = await runToEnd({
    provider: scriptedProvider(twoCalls),
    tools: bindTools([count], scope),
  });

  expect(turn.messages.slice(1, 3)).toMatchObject([{ content: "1" }, { content: "2" }]);
});

test("a test gives its own dependency in place of the real one", async () => {
  const scope = createScope({ overrides: [override(Counter, () => ({ count: 41 }))] });

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("count"), say("Done")]),
    tools: bindTools([count], scope),
  });

  expect(turn.messages[1]).toMatchObject({ content: "42" });
});

test("what a turn that failed has made is disposed like any other", async () => {
  const disposed: unknown[] = [];
  const Lock = dependency("lock", () => "lock", { dispose: (lock) => void disposed.push(lock) });
  const take = defineTool({
    name: "take",
    description: "Takes the lock",
    input: z.object({}),
    execute: (_, context) => context.get(Lock),
  });
  const scope = createScope();
  const provider = scriptedProvider([callTool("take"), failBefore(new Error("no credit"))]);

  const turn = await runToEnd({ provider, tools: bindTools([take], scope) });
  await scope.dispose();

  expect(turn.finishReason).toBe("error");
  expect(disposed).toEqual(["lock"]);
});

test("a factory that fails is an error result, and the next call tries again", async () => {
  const answers = [() => Promise.reject(new Error("connection refused")), async () => "connected"];
  const Db = dependency("db", () => answers.shift()?.() ?? "spent");
  const query = defineTool({
    name: "query",
    description: "Asks the database",
    input: z.object({}),
    execute: (_, context) => context.get(Db),
  });

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("query"), callTool("query"), say("Done")]),
    tools: bindTools([query], createScope()),
  });

  const results = turn.messages.filter((message) => message.role === "tool");
  expect(results).toMatchObject([
    { isError: true, content: "connection refused" },
    { isError: false, content: "connected" },
  ]);
});

test("without a scope a tool that asks for a dependency fails with what to do", async () => {
  const turn = await runToEnd({
    provider: scriptedProvider([callTool("count"), say("Done")]),
    tools: [count],
  });

  expect(turn.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining('Cannot get "counter" without a scope: bind the tools'),
  });
});

test("a tool may get dependencies when it is asked what became of a call", async () => {
  const Ledger = dependency("ledger", () => new Map([["key-1", "paid"]]));
  const pay = defineTool({
    name: "pay",
    description: "Pays",
    input: z.object({}),
    execute: () => "paid twice",
    async reconcile(key, context) {
      const ledger = await context.get(Ledger);
      return { outcome: "done", output: ledger.get(key) };
    },
  });
  const call = { type: "tool_call", id: "k1", name: "pay", input: {} } as const;

  const turn = await runToEnd({
    provider: scriptedProvider([say("Done")]),
    tools: bindTools([pay], createScope()),
    messages: [
      { role: "user", id: "u1", content: "Pay" },
      { role: "assistant", id: "a1", content: [call], stopReason: "tool-calls" },
    ],
    journal: { open: [{ toolCallId: "k1", state: "started", key: "key-1" }] },
  });

  expect(turn.messages[0]).toMatchObject({ role: "tool", content: "paid" });
});

test("binding makes no schema anew, and leaves alone what has nothing to bind", () => {
  const remote = defineTool({ name: "remote", description: "Elsewhere", input: z.object({}) });
  const plain = echoTool();
  const { inputSchema } = count;

  const [bound, sameRemote, samePlain] = bindTools([count, remote, plain], createScope());

  expect(bound?.inputSchema).toBe(inputSchema);
  expect(bound?.parseInput).toBe(count.parseInput);
  expect(sameRemote).toBe(remote);
  expect(samePlain).toBe(plain);
});

test("a copy of a tool with another execute keeps that one", async () => {
  const copy = { ...count, execute: () => "mine" };

  const turn = await runToEnd({
    provider: scriptedProvider([callTool("count"), say("Done")]),
    tools: bindTools([copy], createScope()),
  });

  expect(turn.messages[1]).toMatchObject({ content: "mine" });
});

test("a renamed copy of a tool still gets its dependencies", async () => {
  const turn = await runToEnd({
    provider: scriptedProvider([callTool("tally"), say("Done")]),
    tools: bindTools([{ ...count, name: "tally" }], createScope()),
  });

  expect(turn.messages[1]).toMatchObject({ content: "1" });
});

test("what costs something in the context is not made unless the tool reads it", () => {
  const asked: string[] = [];
  const context = {
    toolCallId: "k1",
    conversationId: "c1",
    turnId: "t1",
    step: 1,
    cwd: undefined,
    logger: undefined,
    get signal() {
      asked.push("signal");
      return new AbortController().signal;
    },
    get idempotencyKey() {
      asked.push("idempotencyKey");
      return "key";
    },
    update() {},
    usage() {},
  };
  const quiet = defineTool({
    name: "quiet",
    description: "Reads one field",
    input: z.object({}),
    execute: (_, { idempotencyKey }) => idempotencyKey,
  });
  const [bound] = bindTools([quiet], createScope());

  // The kernel hands on what `parseInput` gave; here that is this.
  const returned = bound?.execute?.({} as never, context);

  expect(returned).toBe("key");
  expect(asked).toEqual(["idempotencyKey"]);
});
