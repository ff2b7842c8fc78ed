/** Tools that are only known at run time: a source is asked once per turn. */
import type { AnyTool, ToolSourceRequest } from "@capstan/core";
import { createAgent, createHost, createSession, suspend } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, echoTool, manualClock, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

/** A source whose list a test changes. */
function changingSource(...tools: readonly AnyTool[]) {
  const asked: ToolSourceRequest[] = [];
  return {
    name: "changing",
    asked,
    current: tools,
    tools(request: ToolSourceRequest) {
      asked.push(request);
      return this.current;
    },
  };
}

const namesOf = (request: { readonly tools: readonly string[] } | undefined): readonly string[] =>
  request?.tools.filter((name) => name !== "read_output") ?? [];

test("the tools of a source come after the agent's own, and the model can call them", async () => {
  const source = changingSource(echoTool({ name: "late" }));
  const model = scriptedProvider([callTool("late", { n: 1 }), say("Done")]);
  const agent = createAgent({ model, tools: [echoTool()], toolSources: [source] });

  await agent.run("Hello");

  expect(namesOf(model.requests[0])).toEqual(["echo", "late"]);
  expect(source.asked).toMatchObject([{ agent: "agent", needed: [] }]);
});

test("a list that changes in the middle of a turn counts from the next turn on", async () => {
  const old: AnyTool = {
    ...echoTool({ name: "old" }),
    execute: () => {
      source.current = [echoTool({ name: "new" })];
    },
  };
  const source = changingSource(old);
  const model = scriptedProvider([callTool("old"), say("One"), say("Two")]);
  const session = createSession({ agent: createAgent({ model, toolSources: [source] }) });

  await session.send("First").response;
  await session.send("Second").response;

  expect(model.requests.map(namesOf)).toEqual([["old"], ["old"], ["new"]]);
  await session.close();
});

test("the agent's own tool takes precedence over one of a source, and the first source over the next", async () => {
  const warnings: string[] = [];
  const logger = {
    log: (_level: string, message: string) => warnings.push(message),
    startSpan: () => ({ setAttributes() {}, end() {} }),
  };
  const [own, ofSource, first, second] = ["echo", "echo", "b", "b"].map((name) =>
    echoTool({ name }),
  );
  const model = scriptedProvider([reply(callTool("echo"), callTool("b")), say("Done")]);
  const agent = createAgent({
    model,
    logger,
    tools: [own as AnyTool],
    toolSources: [
      changingSource(ofSource as AnyTool, first as AnyTool),
      changingSource(second as AnyTool),
    ],
  });

  await agent.run("Hello");

  expect(namesOf(model.requests[0])).toEqual(["echo", "b"]);
  expect([own, ofSource, first, second].map((tool) => tool?.started.length)).toEqual([1, 0, 1, 0]);
  expect(warnings).toEqual([expect.stringContaining('"b" of the source "changing" is ignored')]);
});

test("a session that chooses among the agent's tools keeps those of its sources", async () => {
  const model = scriptedProvider([say("Done")]);
  const agent = createAgent({
    model,
    tools: [echoTool(), echoTool({ name: "other" })],
    toolSources: [changingSource(echoTool({ name: "late" }))],
  });
  const session = createSession({ agent });
  await session.configure({ tools: ["other"] });

  await session.send("Hello").response;

  expect(namesOf(model.requests[0])).toEqual(["other", "late"]);
  await session.close();
});

test.each([
  ["throws", () => Promise.reject(new Error("The list is gone")), "The list is gone"],
  ["returns no tools", () => [{ name: 7 }] as never, 'The tool source "bad" returned no list'],
])("a source that %s fails the turn with the reason", async (_, tools, message) => {
  const agent = createAgent({
    model: scriptedProvider([]),
    toolSources: [{ name: "bad", tools }],
    retry: { maxAttempts: 1 },
  });

  const { error } = await agent.runTurn({ input: "Hello" }).response;

  expect(error?.message).toContain(message);
});

test("a source that hangs fails the turn once the time for callbacks is over", async () => {
  const clock = manualClock();
  const agent = createAgent({
    model: scriptedProvider([]),
    toolSources: [{ name: "slow", tools: () => new Promise<never>(() => {}) }],
    retry: { maxAttempts: 1 },
  });

  const { response } = agent.runTurn({ input: "Hello" }, [], { clock });

  expect((await clock.runUntil(response)).error?.message).toContain(
    "toolSources did not return within 30000 ms",
  );
});

test("something that is no source is refused when the agent is created", () => {
  const init = { model: scriptedProvider([]), toolSources: [{ name: "x" } as never] };

  expect(() => createAgent(init)).toThrow(/toolSources\[0\] needs a name and a function/);
});

test("a source learns which tools the unfinished calls need, and a call whose tool is gone gets an error result", async () => {
  const asking: AnyTool = {
    ...echoTool({ name: "asking" }),
    execute: () => suspend({ questions: [{ kind: "execution", input: "?" }], state: null }),
  };
  const source = changingSource(asking);
  const model = scriptedProvider([callTool("asking"), say("Done")]);
  const repository = memoryRepository();
  const agents = [createAgent({ model, toolSources: [source] })];
  const session = createHost({ agents, repository }).createSession({ agent: "agent" });
  const { pendingToolCalls = [] } = await session.send("Hello").response;
  source.current = [];

  const [call] = pendingToolCalls;
  const turn = session.send([{ toolCallId: call?.toolCallId ?? "", output: "Yes" }]);
  await turn.response;

  expect(source.asked.map(({ needed }) => needed)).toEqual([[], ["asking"]]);
  expect(session.messages[2]).toMatchObject({ role: "tool", isError: true });
  await session.close();
});

test("a source can ask for the context window of the turn's model", async () => {
  const source = changingSource();
  const model = scriptedProvider([say("One")], { contextWindow: 9_000 });
  const agent = createAgent({ model, toolSources: [source] });
  await agent.run("Hello");

  expect(await source.asked[0]?.contextWindow()).toBe(9_000);
});

test("the context window of a model that cannot be resolved is unknown, and the turn fails with the reason", async () => {
  const source = changingSource();
  const agent = createAgent({ model: "nobody/knows", toolSources: [source] });

  await expect(agent.run("Hello")).rejects.toThrow(/nobody\/knows/);
  expect(await source.asked[0]?.contextWindow()).toBeUndefined();
});
