import type { AnyTool, Agent } from "@capstan/core";
import {
  agentTool,
  createAgent,
  createHost,
  createSession,
  defineTool,
  dependency,
} from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { echoTool, scriptedProvider } from "@capstan/testing";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const model = scriptedProvider([]);
const input = z.object({});
const appContext = z.object({
  tenant: z.string(),
  since: z.iso.date().transform((text) => new Date(text)),
});
const app = { tenant: "acme", since: "2026-11-17" };

const look = defineTool({
  name: "look",
  description: "Looks",
  input,
  appContext,
  needsApproval: (_input, context) => {
    expectTypeOf(context.app).toEqualTypeOf<{ tenant: string; since: Date }>();
    return false;
  },
  execute(_input, context) {
    expectTypeOf(context.app).toEqualTypeOf<{ tenant: string; since: Date }>();
    expectTypeOf(context.session.principal).toEqualTypeOf<string | undefined>();
  },
});
const plain = defineTool({
  name: "plain",
  description: "Plain",
  input,
  execute(_input, context) {
    expectTypeOf(context.app).toEqualTypeOf<unknown>();
  },
});
const agent = createAgent({
  model,
  appContext,
  tools: [look, plain, echoTool()],
  instructions: (context) => {
    expectTypeOf(context.app).toEqualTypeOf<{ tenant: string; since: Date }>();
    return undefined;
  },
  hooks: {
    before(_call, context) {
      expectTypeOf(context.app.since).toEqualTypeOf<Date>();
    },
  },
});

test("a session and a run of an agent with an app context must supply it", () => {
  createSession({ agent, app });
  // @ts-expect-error -- no app
  createSession({ agent });
  // @ts-expect-error -- the value as the schema gives it, not as it takes it
  createSession({ agent, app: { tenant: "acme", since: new Date() } });
  const session = createSession({ agent, app });
  session.send("Hello");
  session.send("Hello", { app });
  // @ts-expect-error -- another app
  session.send("Hello", { app: { tenant: 7 } });

  void (() => agent.run("Hello", { app }));
  // @ts-expect-error -- no app
  void (() => agent.run("Hello"));
  // @ts-expect-error -- no app
  void (() => agent.runStream("Hello", { maxTokens: 1 }));
  // @ts-expect-error -- no app
  void (() => agent.runTurn({ input: "Hello" }));
});

test("an agent without an app context takes none", () => {
  const without = createAgent({ model });
  createSession({ agent: without });
  // @ts-expect-error -- it has no app context
  createSession({ agent: without, app });
  // @ts-expect-error -- it has no app context
  void (() => without.run("Hello", { app }));
  void (() => without.run("Hello", { maxTokens: 1 }));
});

test("an agent must have the app context that its tools need", () => {
  // @ts-expect-error -- no app context
  createAgent({ model, tools: [look] });
  // @ts-expect-error -- another app context
  createAgent({ model, tools: [look], appContext: z.object({ tenant: z.string() }) });
  createAgent({ model, tools: [look], appContext: appContext.extend({ role: z.string() }) });
  createAgent({ model, tools: [agentTool(agent, { description: "Looks" })], appContext });
  // @ts-expect-error -- the agent that is a tool needs one
  createAgent({ model, tools: [agentTool(agent, { description: "Looks" })] });
  expectTypeOf(look).toExtend<AnyTool>();
});

test("an agent with an app context is an agent", () => {
  expectTypeOf(agent).toExtend<Agent>();
  createHost({ agents: [agent, createAgent({ model })], repository: memoryRepository() });
  expectTypeOf(agent.with({ maxSteps: 1 })).toEqualTypeOf<typeof agent>();
});

test("a dependency of the session has no turn", () => {
  dependency("turn", (_get, context) => context.turn.id);
  dependency("turn", (_get, context) => context.turn.id, { dispose: (id) => void id.length });
  // @ts-expect-error -- it outlives the turn
  dependency("session", (_get, context) => context.turn, { scope: "session" });
  dependency<string>("session", (_get, { session }) => session.id, { scope: "session" });
});
