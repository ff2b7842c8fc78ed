import type { AnyTool, AppSchema, SendOptions } from "@capstan/core";
import {
  agentTool,
  createAgent,
  createHost,
  createSession,
  defineTool,
  restoreSession,
} from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, remoteTool, say, scriptedProvider } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const appContext = z.object({ tenant: z.string(), role: z.string().default("user") });
const app = { tenant: "acme" };

/** A tool that records what it gets, and an agent with it. */
function appWorld(script: readonly ScriptItem[]) {
  const seen: unknown[] = [];
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    appContext,
    needsApproval: (_input, context) => {
      seen.push(["needsApproval", context.app.tenant, context.app.role]);
      return false;
    },
    execute(_input, context) {
      seen.push(["execute", context.app.tenant, context.app.role]);
      return "seen";
    },
  });
  const provider = scriptedProvider([...script]);
  const agent = createAgent({
    name: "helper",
    model: provider,
    tools: [look, remoteTool()],
    appContext,
    instructions: (context) => `You work for ${context.app.tenant}`,
    hooks: {
      before: (_call, context) => {
        seen.push(["before", context.app.tenant, context.app.role]);
      },
    },
  });
  return { agent, provider, seen, repository: memoryRepository() };
}

test("tools, approvals, hooks and instructions get the app context of the session, after its transforms", async () => {
  const { agent, provider, seen, repository } = appWorld([callTool("look"), say("Done")]);
  const session = createSession({ agent, repository, id: "s1", app });

  await session.send("Hello").response;

  expect(seen).toEqual([
    ["before", "acme", "user"],
    ["needsApproval", "acme", "user"],
    ["execute", "acme", "user"],
  ]);
  expect(provider.requests[0]?.options.systemPrompt).toBe("You work for acme");
  const [created] = repository.read("s1").entries;
  expect(created?.["app"]).toEqual(app);
});

test("a send overrides the app context for its turn and those that continue it, in every process", async () => {
  const { agent, seen, repository } = appWorld([
    callTool("remote"),
    callTool("look"),
    say("One"),
    callTool("look"),
    say("Two"),
  ]);
  const session = createSession({ agent, repository, id: "s1", app });
  const override = { app: { tenant: "other", role: "admin" } };
  const { pendingToolCalls = [] } = await session.send("Hello", override).response;
  await session.close();

  const open = await createHost({ agents: [agent], repository }).open("s1");
  const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";
  await open.send([{ toolCallId, output: "yes" }]).response;
  await open.send("Again").response;

  const executed = seen.filter((each) => (each as string[])[0] === "execute");
  expect(executed).toEqual([
    ["execute", "other", "admin"],
    ["execute", "acme", "user"],
  ]);
});

const wrong: readonly [string, unknown][] = [
  ["missing", undefined],
  ["of a wrong type", { tenant: 7 }],
  ["not JSON", { tenant: "acme", since: new Date() }],
];

test.each(wrong)("an app context that is %s is refused, from JavaScript too", async (_how, bad) => {
  const { agent, repository } = appWorld([]);
  const host = createHost({ agents: [agent], repository });
  const wrongApp = bad as typeof app;

  const refusal = expect.objectContaining({ name: "SessionError", code: "invalid_input" });
  expect(() => createSession({ agent, app: wrongApp })).toThrow(refusal);
  expect(() => host.createSession({ agent: "helper", app: wrongApp })).toThrow(refusal);
  const response = await agent.runTurn({ input: "Hello", app: wrongApp }).response.catch(String);
  expect(JSON.stringify(response)).toContain("app");
  await expect(agent.run("Hello", { app: wrongApp })).rejects.toMatchObject({ message: /app/ });
});

test("a send with a wrong app context is refused, and nothing is stored", async () => {
  const { agent, repository } = appWorld([]);
  const session = createSession({ agent, repository, id: "s1", app });

  const { error } = await session.send("Hello", { app: { tenant: 7 } as never }).response;

  expect(error).toMatchObject({ code: "invalid_input", message: expect.stringMatching(/tenant/) });
  expect(session.lastSeq).toBe(0);
});

test("an agent without an app context takes none", async () => {
  const agent = createAgent({ model: scriptedProvider([]) });
  const options = { app } as SendOptions as SendOptions<undefined, never>;

  expect(() => createSession({ agent, ...(options as object) })).toThrow(/no appContext/);
  await expect(agent.run("Hello", options)).rejects.toThrow(/no appContext/);
  const { error } = await createSession({ agent }).send("Hello", options).response;
  expect(error).toMatchObject({ code: "invalid_input" });
});

test("a turn fails if a later version of the agent does not accept the stored app context, and nothing of it runs", async () => {
  const ran: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays",
    input: z.object({}),
    needsApproval: true,
    execute: () => void ran.push("pay"),
  });
  const repository = memoryRepository();
  const model = scriptedProvider([callTool("pay"), say("Done")]);
  const init = { name: "helper", model, tools: [pay] };
  const session = createSession({
    agent: createAgent({ ...init, appContext }),
    repository,
    id: "s1",
    app,
  });
  const { pendingToolCalls: [call] = [] } = await session.send("Hello").response;
  await session.close();

  const later = createAgent({
    ...init,
    appContext: z.object({ tenantId: z.number() }),
    hooks: { after: () => void ran.push("after") },
    instructions: () => void ran.push("instructions"),
  });
  const host = createHost({ agents: [later], repository, onError: () => {} });
  const open = await host.open("s1");
  const { toolCallId = "", hash = "" } = call ?? {};
  const response = await open.send([{ toolCallId, hash, approved: true }]).response;

  expect(response.error).toMatchObject({ code: "invalid_app_context" });
  expect(response.error?.message).toMatch(/tenantId/);
  expect(model.requests).toHaveLength(1);
  expect(ran).toEqual([]);
});

test("an agent with a tool that needs an app context must have one", () => {
  const tools: readonly AnyTool[] = [
    defineTool({ name: "look", description: "Looks", input: z.object({}), appContext }),
  ];

  expect(() => createAgent({ model: scriptedProvider([]), tools })).toThrow(
    expect.objectContaining({ name: "AgentError", code: "invalid_option" }),
  );
});

test("each tool gets the app context as its own schema gives it", async () => {
  const seen: unknown[] = [];
  const named = (name: string, schema: z.ZodType<unknown, { tenant: string }>) =>
    defineTool({
      name,
      description: name,
      input: z.object({}),
      appContext: schema,
      execute: (_input, context) => void seen.push(context.app),
    });
  const upper = z.object({ tenant: z.string().transform((text) => text.toUpperCase()) });
  const plain = defineTool({
    name: "plain",
    description: "Plain",
    input: z.object({}),
    execute: (_input, context) => void seen.push(context.app),
  });
  const agent = createAgent({
    model: scriptedProvider([callTool("upper"), callTool("own"), callTool("plain"), say("Done")]),
    tools: [named("upper", upper), named("own", z.object({ tenant: z.string() })), plain],
    appContext,
  });

  await agent.run("Hello", { app: { tenant: "acme", role: "admin" } });

  expect(seen).toEqual([{ tenant: "ACME" }, { tenant: "acme" }, { tenant: "acme", role: "admin" }]);
});

test("an asynchronous schema is refused", () => {
  const slow = z.object({ tenant: z.string().refine(async () => true) });
  const agent = createAgent({ model: scriptedProvider([]), appContext: slow });

  expect(() => createSession({ agent, app })).toThrow(/synchronous/);
});

test("an agent that is a tool works for the caller, with the app context as it was given", async () => {
  const seen: unknown[] = [];
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    appContext,
    execute: (_input, { session, turn, app: mine }) =>
      void seen.push([session.principal, turn.metadata, mine]),
  });
  const inner = createAgent({
    name: "inner",
    model: scriptedProvider([callTool("look"), say("Inner")]),
    tools: [look],
    appContext,
  });
  const outer = createAgent({
    model: scriptedProvider([callTool("inner", { task: "Look" }), say("Outer")]),
    tools: [agentTool(inner, { description: "Looks" })],
    appContext: z.object({ tenant: z.string() }),
  });
  const session = createSession({ agent: outer, principal: "ann", app });

  const { text } = await session.send("Hello", { metadata: "phone" }).response;

  expect(text).toBe("Outer");
  expect(seen).toEqual([["ann", "phone", { tenant: "acme", role: "user" }]]);
});

test("a value that is null is an app context", async () => {
  const seen: unknown[] = [];
  const nullable = z.string().nullable();
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    appContext: nullable,
    execute: (_input, context) => void seen.push(context.app),
  });
  const model = scriptedProvider([callTool("look"), say("Done")]);
  const agent = createAgent({ model, tools: [look], appContext: nullable });

  await createSession({ agent, app: "acme" }).send("Hello", { app: null }).response;

  expect(seen).toEqual([null]);
});

test("an imported session can be given an app context", async () => {
  const { agent, seen, repository } = appWorld([say("One"), callTool("look"), say("Two")]);
  const session = createSession({ agent, repository, app });
  await session.send("Hello").response;
  const snapshot = await session.snapshot();

  const restored = await restoreSession({ agent, snapshot, app: { tenant: "mine" } });
  await restored.send("Again").response;

  expect(seen.at(-1)).toEqual(["execute", "mine", "user"]);
});

test("a run takes a signal, metadata and overrides", async () => {
  const provider = scriptedProvider([say("One")]);
  const agent = createAgent({ model: provider });

  await agent.run("Hello", { maxTokens: 7, metadata: { from: "test" } });
  expect(provider.requests[0]?.options.maxTokens).toBe(7);
  expect(provider.requests[0]?.messages[0]).toMatchObject({ metadata: { from: "test" } });

  const aborted = agent.run("Hello", { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ code: "no_answer" });
  const turn = agent.runStream("Hello", { id: "t1", signal: AbortSignal.abort() });
  expect(turn.id).toBe("t1");
});

test("a snapshot that is imported has no app context; restored as one's own, or forked, it keeps it", async () => {
  const { agent, seen, repository } = appWorld([
    say("One"),
    callTool("look"),
    say("Two"),
    callTool("look"),
    say("Three"),
    callTool("look"),
    say("Four"),
  ]);
  const session = createSession({ agent, repository, app });
  await session.send("Hello").response;
  const snapshot = await session.snapshot();
  const elsewhere = () => createHost({ agents: [agent], repository: memoryRepository() });

  const imported = await elsewhere().restore(snapshot);
  const { error } = await imported.send("Again").response;
  expect(error).toMatchObject({ code: "invalid_app_context" });
  expect(seen).toEqual([]);

  await (await elsewhere().restore(snapshot, { app: { tenant: "mine" } })).send("Again").response;
  await (await elsewhere().restore(snapshot, { trust: "own" })).send("Again").response;
  await (await session.fork()).send("Again").response;
  const executed = seen.filter((each) => (each as string[])[0] === "execute");
  expect(executed.map((each) => (each as string[])[1])).toEqual(["mine", "acme", "acme"]);
});

test("a tool that only a session has gets the app context, or is refused without one", async () => {
  const { agent } = appWorld([callTool("own"), say("Done"), say("Not asked")]);
  const seen: unknown[] = [];
  const own = (schema: AppSchema) =>
    defineTool({
      name: "own",
      description: "Own",
      input: z.object({}),
      appContext: schema,
      execute: (_input, context) => void seen.push(context.app),
    });
  const session = createSession({ agent, app });

  await session.configure({ tools: [own(z.object({ tenant: z.string() }))] });
  await session.send("Hello").response;
  expect(seen).toEqual([{ tenant: "acme" }]);

  await session.configure({ tools: [own(z.object({ missing: z.string() }))] });
  const { error } = await session.send("Again").response;
  expect(error).toMatchObject({ code: "invalid_app_context" });
  expect(error?.message).toMatch(/tool "own".*missing/);

  await session.configure({ tools: ["look"] });
  expect((await session.send("Again").response).text).toBe("Not asked");

  const without = createSession({ agent: createAgent({ model: scriptedProvider([]) }) });
  await expect(without.configure({ tools: [own(appContext)] })).rejects.toMatchObject({
    code: "invalid_input",
  });
});

test("what is not a schema is refused", () => {
  const definition = { name: "look", description: "Looks", input: z.object({}) };

  expect(() => defineTool({ ...definition, appContext: {} as AppSchema })).toThrow(
    /Standard Schema/,
  );
  expect(() =>
    createAgent({ model: scriptedProvider([]), appContext: "tenant" as unknown as AppSchema }),
  ).toThrow(/Standard Schema/);
});

test("a session that is opened or created in one call is created with its app context", async () => {
  const { agent, seen } = appWorld([callTool("look"), say("One"), callTool("look"), say("Two")]);
  const host = createHost({ agents: [agent], repository: memoryRepository() });

  await (await host.session("s1", { agent: "helper", app })).run("Hello");
  await (await host.session("s1", { agent: "helper", app: { tenant: "other" } })).run("Again");
  const without = host.session("s2", { agent: "helper" } as { agent: "helper"; app: typeof app });

  expect(seen.filter((each) => JSON.stringify(each).includes("execute"))).toEqual([
    ["execute", "acme", "user"],
    ["execute", "acme", "user"],
  ]);
  await expect(without).rejects.toMatchObject({ code: "invalid_input" });
});
