/** The callbacks of an agent and what it is made from, as places for hostile values. */
import type { AgentInit, StandardSchema, ToolContext } from "@capstan/core";
import { defineTool, dependency } from "@capstan/core";
import type { ProviderContract, ProviderPart } from "@capstan/kernel";
import type { Deliver } from "./deliveries.ts";

/** What an agent gets so that the value meets it. The model calls the tool once and then answers. */
type Setting = Partial<AgentInit>;

const object = { type: "object" } as const;
const logger = { log: () => {}, startSpan: () => ({ setAttributes() {}, end() {} }) };

/** Callbacks: each is tried with every way to hand over a value. */
export const callbackPlaces: Readonly<Record<string, (deliver: Deliver) => Setting>> = {
  "execute of a tool": (deliver) => ({ tools: [tool({ execute: deliver })] }),
  "next of a streaming tool": (deliver) => ({
    tools: [tool({ execute: () => ({ [Symbol.asyncIterator]: () => ({ next: deliver }) }) })],
  }),
  "hooks.before": (deliver) => ({ hooks: { before: deliver } }),
  "hooks.after": (deliver) => ({ hooks: { after: deliver } }),
  needsApproval: (deliver) => ({ tools: [tool({ needsApproval: deliver })] }),
  transformContext: (deliver) => ({ transformContext: deliver }),
  convertToLlm: (deliver) => ({ convertToLlm: deliver }),
  stopWhen: (deliver) => ({ stopWhen: deliver }),
  onOverflow: (deliver) => ({ onOverflow: deliver, model: streaming(failing) }),
  instructions: (deliver) => ({ instructions: deliver }),
  getApiKey: (deliver) => ({ getApiKey: deliver }),
  resolveModel: (deliver) => ({ model: "someone/else", resolveModel: deliver }),
  "stream of a provider": (deliver) => ({ model: { id: "m", stream: deliver } }),
  "next of a provider": (deliver) => ({
    model: { id: "m", stream: () => ({ [Symbol.asyncIterator]: () => ({ next: deliver }) }) },
  }),
  "validate of an input": (deliver) => ({ tools: [tool({ input: schema(deliver) })] }),
  "jsonSchema of an input": (deliver) => ({
    tools: [tool({ input: schema(() => ({ value: {} }), deliver) })],
  }),
  "validate of an output": (deliver) => ({ output: schema(deliver) }),
  "a dependency": (deliver) => ({ tools: [asking(dependency("odd", deliver))] }),
  "dispose of a dependency": (deliver) => ({
    tools: [asking(dependency("odd", () => 1, { dispose: deliver }))],
  }),
  "log of a logger": (deliver) => ({ logger: { ...logger, log: deliver } }),
  "startSpan of a logger": (deliver) => ({ logger: { ...logger, startSpan: deliver } }),
  "end of a span": (deliver) => ({
    logger: { ...logger, startSpan: () => ({ setAttributes: deliver, end: deliver }) },
  }),
};

/** Values inside of what is handed over. */
export const valuePlaces: Readonly<Record<string, (value: () => never) => Setting>> = {
  "an event of a streaming tool": (value) => ({ tools: [yielding(value)] }),
  "a delta of a streaming tool": (value) => ({
    tools: [yielding(() => ({ type: "delta", delta: value() }))],
  }),
  "the output of a streaming tool": (value) => ({
    tools: [yielding(() => ({ type: "complete", output: value(), details: value() }))],
  }),
  "details of a tool output": (value) => ({
    tools: [
      tool({ execute: () => ({ ok: true, outputMessage: "x", details: value(), meta: value() }) }),
    ],
  }),
  "update of a tool": (value) => ({ tools: [tool({ execute: (_, c) => c.update(value()) })] }),
  "usage of a tool": (value) => ({
    tools: [tool({ execute: (_, c) => c.usage(value(), value()) })],
  }),
  "the reason of a block": (value) => ({
    hooks: { before: () => ({ action: "block", reason: value() }) },
  }),
  "the reason of a question": (value) => ({
    hooks: { before: () => ({ action: "ask", reason: value() }) },
  }),
  "an altered input": (value) => ({
    hooks: { before: () => ({ action: "alter", input: value() }) },
  }),
  "a reviewed result": (value) => ({
    hooks: {
      after: () => ({ isError: value(), output: value(), details: value(), meta: value() }),
    },
  }),
  "the issues of an input": (value) => ({
    tools: [tool({ input: schema(() => ({ issues: [{ message: value(), path: value() }] })) })],
  }),
  "the value of an input": (value) => ({
    tools: [tool({ input: schema(() => ({ value: value() })) })],
  }),
  "a resolved model": (value) => ({
    model: "someone/else",
    resolveModel: () => ({ provider: value(), id: value(), facts: value(), price: value() }),
  }),
  "a part": (value) => replying(() => [value()]),
  "a text delta": (value) => replying(() => [{ type: "text_delta", delta: value() }]),
  "a thinking delta": (value) => replying(() => [{ type: "thinking_delta", delta: value() }]),
  "data of a text": (value) =>
    replying(() => [
      { type: "text_start", providerData: value() },
      { type: "text_end", providerData: value() },
    ]),
  "the name of a call": (value) =>
    replying(() => [
      { type: "toolcall_start", index: 0, name: value() },
      { type: "toolcall_end", index: 0 },
    ]),
  "the index of a call": (value) =>
    replying(() => [{ type: "toolcall_start", index: value(), name: "tool" }]),
  "arguments of a call": (value) =>
    replying(() => [
      { type: "toolcall_start", index: 0, name: "tool", providerData: value() },
      { type: "toolcall_delta", index: 0, delta: value() },
      { type: "toolcall_end", index: 0 },
    ]),
  "parsed arguments of a call": (value) =>
    replying(() => [
      { type: "toolcall_start", index: 0, name: "tool" },
      { type: "toolcall_end", index: 0, input: value(), providerData: value() },
    ]),
  "native data": (value) => replying(() => [{ type: "native", data: value() }]),
  "usage of a reply": (value) =>
    replying(() => [
      { type: "usage", usage: value() },
      { type: "usage", usage: { inputTokens: value(), outputTokens: value() } },
    ]),
  "metadata of a reply": (value) => replying(() => [{ type: "start", metadata: value() }]),
  "the origin of a reply": (value) => replying(() => [{ type: "start", origin: value() }]),
  "a field of an origin": (value) =>
    replying(() => [{ type: "start", origin: { provider: value(), model: value() } }]),
  "a finish reason": (value) =>
    replying(() => [
      { type: "text_delta", delta: "x" },
      { type: "finish", reason: value(), metadata: value() },
    ]),
};

interface ToolParts {
  readonly execute?: (input: never, context: ToolContext) => unknown;
  readonly needsApproval?: () => never;
  readonly input?: unknown;
}

/** What is passed here breaks the types, as code without them does. */
export function tool(parts: ToolParts = {}): ReturnType<typeof defineTool> {
  const plain = { name: "tool", description: "A tool", input: object, execute: () => "done" };
  return defineTool({ ...plain, ...parts } as never);
}

function asking(needed: ReturnType<typeof dependency>): ReturnType<typeof defineTool> {
  return tool({
    execute: async (_, context) => typeof (await context.get(needed)),
  });
}

function yielding(value: () => unknown): ReturnType<typeof defineTool> {
  return tool({
    execute: async function* () {
      yield value();
    },
  });
}

function schema(validate: () => unknown, input: () => unknown = () => object): StandardSchema {
  return {
    "~standard": { version: 1, vendor: "odd", validate, jsonSchema: { input } },
  } as unknown as StandardSchema;
}

/** Such parts in place of the first reply. */
function replying(parts: () => readonly unknown[]): Setting {
  return { model: streaming(() => parts() as ProviderPart[]) };
}

function failing(): never {
  throw new Error("refused");
}

/** Calls the tool first, unless other parts are given, and answers then. */
export function streaming(first?: () => readonly ProviderPart[]): ProviderContract {
  let asked = 0;
  return {
    id: "m",
    async *stream() {
      asked += 1;
      if (asked === 1) yield* first?.() ?? called;
      else yield* answered;
      yield { type: "finish", reason: asked === 1 ? "tool-calls" : "stop" };
    },
  };
}

const called: readonly ProviderPart[] = [
  { type: "toolcall_start", index: 0, name: "tool" },
  { type: "toolcall_end", index: 0 },
];
const answered: readonly ProviderPart[] = [{ type: "text_delta", delta: '{"answer":1}' }];
