import type { Agent, Host, Session, TypesOf } from "@capstan/core";
import { createAgent, createHost, defineTool } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { scriptedProvider } from "@capstan/testing";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const model = scriptedProvider([]);
const repository = memoryRepository();
const look = defineTool({
  name: "look",
  description: "Looks",
  input: z.object({ at: z.string() }),
});
const support = createAgent({
  name: "support",
  model,
  tools: [look],
  output: z.object({ a: z.number() }),
});
const billing = createAgent({
  name: "billing",
  model,
  appContext: z.object({ tenant: z.string() }),
});
const host = createHost({ agents: [support, billing], repository });
const app = { tenant: "acme" };

test("a host knows the names of its agents, and what their sessions give", () => {
  const session = host.createSession({ agent: "support" });

  expectTypeOf(session).toEqualTypeOf<Session<TypesOf<typeof support>>>();
  expectTypeOf(session.run("Hello")).toEqualTypeOf<Promise<{ a: number }>>();
  expectTypeOf(session.agent).toEqualTypeOf<"support">();
  // @ts-expect-error -- there is no such agent
  host.createSession({ agent: "suport" });
  // @ts-expect-error -- there is no such agent
  void (() => host.session("s1", { agent: "suport" }));
  expectTypeOf(host.session("s1", { agent: "support" })).toEqualTypeOf<Promise<typeof session>>();
  host.createSession({ agent: "support", id: "s1", config: { tools: ["look"] } });
  // @ts-expect-error -- there is no such tool
  host.createSession({ agent: "support", config: { tools: ["lok"] } });
});

test("a host knows the app context of each agent", () => {
  expectTypeOf(host.createSession({ agent: "billing", app }).run("Hello")).toEqualTypeOf<
    Promise<string>
  >();
  // @ts-expect-error -- the agent needs an app context
  host.createSession({ agent: "billing" });
  // @ts-expect-error -- another app
  host.createSession({ agent: "billing", app: { tenant: 7 } });
  // @ts-expect-error -- the agent has no app context
  host.createSession({ agent: "support", app });
  // @ts-expect-error -- the agent needs an app context
  void (() => host.session("s1", { agent: "billing" }));
});

test("a stored session belongs to one of the agents", () => {
  expectTypeOf(host.open("s1")).toEqualTypeOf<
    Promise<Session<TypesOf<typeof support> | TypesOf<typeof billing>>>
  >();
  const only = createHost({ agents: [support], repository });
  expectTypeOf(only.open("s1")).toEqualTypeOf<Promise<Session<TypesOf<typeof support>>>>();
});

test("a host without known agents takes any name", () => {
  const agents: readonly Agent[] = [support, billing];
  const plain: Host = host;

  expectTypeOf(plain.createSession({ agent: "anything", app: 7 })).toEqualTypeOf<Session>();
  expectTypeOf(
    createHost({ agents, repository }).createSession({ agent: "anything" }),
  ).toExtend<Session>();
  expectTypeOf(host).toExtend<Host>();
});

test("an agent keeps its types when other options change, and its name", () => {
  expectTypeOf(support.with({ maxSteps: 3, name: "support" })).toEqualTypeOf<typeof support>();
  // @ts-expect-error -- the type has the name
  support.with({ name: "other" });
  const plain: Agent = support;
  plain.with({ name: "other" });
});
