/** An agent that calls back from everywhere, with one place that is broken for a while. */
import { createAgent, defineTool, dependency } from "@capstan/core";
import type { Agent, AgentInit, StandardSchema } from "@capstan/core";
import type { Logger } from "@capstan/kernel";
import { callTool, say } from "@capstan/testing";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";

/** Fits every callback: it takes anything, and returns whatever it likes, against its type. */
type Callback = (...given: readonly unknown[]) => never;

/** One callback of an agent: what it does when all is well. */
const healthy = {
  instructions: () => "Be brief.",
  resolveModel: (_: string, provider: ScriptedProvider) => ({ provider, id: "" }),
  getApiKey: () => "key",
  transformContext: (messages: unknown) => messages,
  convertToLlm: (messages: unknown) => messages,
  stopWhen: () => false,
  "the before hook": () => ({ action: "run" }),
  "the after hook": () => undefined,
  "needsApproval of a tool": () => false,
  "execute of a tool": () => "done",
  "the factory of a dependency": () => "db",
  "dispose of a dependency of the turn": () => undefined,
  "dispose of a dependency of the session": () => undefined,
  "validate of the output": (value: unknown) => ({ value }),
  "log of the logger": () => undefined,
  "startSpan of the logger": () => ({ setAttributes: () => {}, end: () => {} }),
} as const;

export type Place = keyof typeof healthy;
export const places = Object.keys(healthy) as Place[];

export const faults = {
  throws: () => {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")),
  "never returns": () => new Promise(() => {}),
} as const;

export type Fault = keyof typeof faults;

export interface Breakable {
  readonly agent: Agent;
  /** How often the place was called while it was broken. */
  calls(): number;
  repair(): void;
}

/** Asks for a tool first, and answers when it has its result. */
export const workThenAnswer: ScriptItem = ({ messages }) =>
  messages.at(-1)?.role === "tool" ? say("{}") : callTool("work");

export function breakable(provider: ScriptedProvider, place: Place, fault: Fault): Breakable {
  let isBroken = true;
  let calls = 0;
  const at =
    (name: Place): Callback =>
    (...given) => {
      const works = healthy[name] as Callback;
      if (!isBroken || name !== place) return works(...given, provider);
      calls += 1;
      return faults[fault]() as never;
    };
  return {
    agent: createAgent(agentOf(at)),
    calls: () => calls,
    repair: () => {
      isBroken = false;
    },
  };
}

function agentOf(at: (place: Place) => Callback): AgentInit {
  const logger: Logger = {
    log: at("log of the logger"),
    startSpan: at("startSpan of the logger"),
  };
  return {
    name: "helper",
    model: "named",
    resolveModel: at("resolveModel"),
    instructions: at("instructions"),
    getApiKey: at("getApiKey"),
    transformContext: at("transformContext"),
    convertToLlm: at("convertToLlm"),
    stopWhen: at("stopWhen"),
    hooks: { before: at("the before hook"), after: at("the after hook") },
    tools: [toolOf(at)],
    output: schemaOf(at("validate of the output")),
    logger,
    retry: { maxAttempts: 1 },
    // The key is asked for in the stream of the provider, so this is its limit.
    deadlines: { firstPartMs: 30_000 },
  };
}

function toolOf(at: (place: Place) => Callback): NonNullable<AgentInit["tools"]>[number] {
  const failing = dependency("failing", () => "value", {
    dispose: () => {
      throw new Error("for the logger");
    },
  });
  const ofTurn = dependency<string>("of the turn", at("the factory of a dependency"), {
    dispose: at("dispose of a dependency of the turn"),
  });
  const ofSession = dependency<string>("of the session", () => "value", {
    scope: "session",
    dispose: at("dispose of a dependency of the session"),
  });
  return defineTool({
    name: "work",
    description: "Works",
    input: { type: "object" },
    timeoutMs: 20_000,
    needsApproval: at("needsApproval of a tool"),
    async execute(_, context) {
      await context.get(failing);
      await context.get(ofSession);
      await context.get(ofTurn);
      return at("execute of a tool")();
    },
  });
}

function schemaOf(validate: Callback): StandardSchema<unknown, unknown> {
  return {
    "~standard": { version: 1, vendor: "test", validate, jsonSchema: { input: () => ({}) } },
  };
}
