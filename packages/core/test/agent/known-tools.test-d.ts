import type {
  Agent,
  AnyTool,
  JsonObject,
  OtherToolName,
  Session,
  SessionEvent,
  Turn,
  TurnEvent,
} from "@capstan/core";
import { agentTool, createAgent, createSession, defineTool, doneTool } from "@capstan/core";
import type { JsonValue, PendingCall } from "@capstan/kernel";
import { echoTool, scriptedProvider } from "@capstan/testing";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const model = scriptedProvider([]);
const refund = defineTool({
  name: "refund",
  description: "Refunds",
  input: z.object({ amount: z.number(), note: z.string().optional(), on: z.coerce.date<string>() }),
  needsApproval: true,
  execute: ({ on }) => on.toISOString(),
});
const ask = defineTool({
  name: "ask",
  description: "Asks",
  input: z.object({ question: z.string().default("Why?") }),
});
const agent = createAgent({ name: "support", model, tools: [refund, ask, doneTool()] });
const session = createSession({ agent });

interface Refund {
  readonly amount: number;
  readonly note?: string;
  readonly on: string;
}

declare function show(event: SessionEvent): void;

test("the name of a tool tells the input of its call, as the model sent it", async () => {
  for await (const event of session.send("Hello")) {
    if (event.type !== "tool_execution_start") continue;
    if (event.toolName === "refund") expectTypeOf(event.input).toExtend<Refund>();
    if (event.toolName === "ask") expectTypeOf(event.input.question).toExtend<string | undefined>();
    if (event.toolName === "done") expectTypeOf(event.input).toEqualTypeOf<JsonObject>();
    // @ts-expect-error -- there is no such tool
    if (event.toolName === "refnud") continue;
    expectTypeOf(event.toolName).toEqualTypeOf<"refund" | "ask" | "done" | OtherToolName>();
  }
});

test("so do the pending calls of events, responses and sessions", async () => {
  const check = (call: (typeof session.pendingToolCalls)[number]): void => {
    if (call.toolName === "refund") expectTypeOf(call.input.amount).toEqualTypeOf<number>();
    // @ts-expect-error -- there is no such tool
    if (call.toolName === "refnud") return;
    expectTypeOf(call).toExtend<PendingCall>();
  };
  const turn = session.send("Hello");
  for await (const event of turn) {
    if (event.type === "awaiting_tool_execution") event.pending.forEach(check);
    if (event.type === "turn_end") event.pending?.forEach(check);
  }
  (await turn.response).pendingToolCalls?.forEach(check);
  session.pendingToolCalls.forEach(check);
});

test("the other events that name a tool know the names", async () => {
  for await (const event of agent.runStream("Hello")) {
    // @ts-expect-error -- there is no such tool
    if (event.type === "tool_execution_end" && event.toolName === "refnud") continue;
    // @ts-expect-error -- there is no such tool
    if (event.type === "toolcall_start" && event.name === "refnud") continue;
    // @ts-expect-error -- there is no such tool
    if (event.type === "toolcall_end" && event.toolCall.name === "refnud") continue;
  }
});

test("every event of a known agent is an event", async () => {
  for await (const event of session.send("Hello")) show(event);
  expectTypeOf<TurnEvent<typeof agent>>().toExtend<SessionEvent>();
  expectTypeOf(session.send("Hello")).toExtend<Turn>();
  expectTypeOf(session).toExtend<Session>();
  expectTypeOf(agent).toExtend<Agent>();
});

test("an agent whose type is not known has tools of any name, with inputs of any JSON", async () => {
  const plain: Agent = agent;
  for await (const event of createSession({ agent: plain }).send("Hello")) {
    if (event.type !== "tool_execution_start" || event.toolName !== "anything") continue;
    expectTypeOf(event.input).toEqualTypeOf<JsonValue>();
  }
  expectTypeOf<TurnEvent>().toEqualTypeOf<SessionEvent>();
  expectTypeOf<Session["pendingToolCalls"]>().toEqualTypeOf<readonly PendingCall[]>();
});

test("a tool whose name is not known may be the one that an event names", async () => {
  const list: readonly AnyTool[] = [echoTool()];
  const mixed = createAgent({ model, tools: [refund, ...list] });
  for await (const event of mixed.runStream("Hello")) {
    if (event.type !== "tool_execution_start" || event.toolName !== "refund") continue;
    expectTypeOf(event.input).toExtend<Refund | JsonValue>();
    expectTypeOf<JsonValue>().toExtend<typeof event.input>();
  }
});

test("settings that name a tool name one of the agent", () => {
  void (() => session.send("Hello", { toolChoice: { tool: "refund" } }));
  void (() => session.configure({ tools: ["refund", ask, echoTool()] }));
  createAgent({ model, tools: [refund], toolChoice: { tool: "refund" } });
  // @ts-expect-error -- there is no such tool
  void (() => session.send("Hello", { toolChoice: { tool: "refnud" } }));
  // @ts-expect-error -- there is no such tool
  void (() => agent.run("Hello", { toolChoice: { tool: "refnud" } }));
  // @ts-expect-error -- there is no such tool
  void (() => session.configure({ tools: ["refnud"] }));
  // @ts-expect-error -- there is no such tool
  createAgent({ model, tools: [refund], toolChoice: { tool: "refnud" } });
  createAgent({ model, tools: [refund], prepareStep: () => ({ activeTools: ["refund"] }) });
  createAgent({
    model,
    tools: [refund],
    prepareStep: async ({ step }) => (step > 1 ? { toolChoice: { tool: "refund" } } : undefined),
  });
  // @ts-expect-error -- there is no such tool
  createAgent({ model, tools: [refund], prepareStep: () => ({ activeTools: ["refnud"] }) });
  createAgent({
    model,
    tools: [refund],
    // @ts-expect-error -- there is no such tool
    prepareStep: async ({ step }) => ({ activeTools: step > 1 ? ["refnud"] : [] }),
  });
  const plain: Session = session;
  void (() => plain.configure({ tools: ["anything"] }));
});

test("an agent as a tool has the name of the agent, or another", () => {
  expectTypeOf(agentTool(agent, { description: "Helps" }).name).toEqualTypeOf<"support">();
  const renamed = agentTool(agent, { name: "helper", description: "Helps" });
  expectTypeOf(renamed.name).toEqualTypeOf<"helper">();
  createAgent({ model, tools: [renamed, refund] });
});
