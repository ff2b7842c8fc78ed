/** pi-agent-core: its `Agent` with a subscriber, in memory. It keeps no log, so a turn that is killed is gone. */
import { Agent } from "@earendil-works/pi-agent-core";
import { createAssistantMessageEventStream, createModels } from "@earendil-works/pi-ai";
import { Type } from "typebox";
import { callId, sleep, stepAfter, toolResult } from "../script.mjs";

const model = {
  id: "script",
  name: "script",
  api: "script",
  provider: "script",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000_000,
  maxTokens: 1_000_000,
};
const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** @type {import("../subject.ts").Subject} */
export const subject = {
  name: "pi",
  goals: {},
  packageFolder: "bench/peers/node_modules/@earendil-works/pi-agent-core",
  async createAgent(options) {
    const streamFn = scriptStream(options);
    const tools = [weatherTool(options)];
    return {
      prepareHistory: toMessages,
      async turn(messages, seen) {
        const prompt = messages.at(-1);
        const agent = new Agent({
          initialState: { model, tools, messages: messages.slice(0, -1), thinkingLevel: "off" },
          streamFn,
        });
        return prompted(agent, prompt, seen);
      },
    };
  },
  // The providers are loaded when they are asked for, so that they cost the other benches nothing.
  wire: {
    async openai({ baseURL, seen }) {
      const { openaiProvider } = await import("@earendil-works/pi-ai/providers/openai");
      return ask(openaiProvider(), "gpt-5", `${baseURL}/v1`, seen);
    },
    async anthropic({ baseURL, seen }) {
      const { anthropicProvider } = await import("@earendil-works/pi-ai/providers/anthropic");
      return ask(anthropicProvider(), "claude-sonnet-5", baseURL, seen);
    },
  },
};

async function prompted(agent, prompt, seen) {
  agent.subscribe((event) => {
    seen.events++;
    if (event.type !== "message_update") return;
    const { assistantMessageEvent: part } = event;
    if (part.type === "text_delta") seen.delta(part.delta);
  });
  await agent.prompt(prompt);
  const last = agent.state.messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function ask(provider, id, baseUrl, seen) {
  const models = createModels();
  models.setProvider(provider);
  const agent = new Agent({
    initialState: { model: { ...models.getModel(provider.id, id), baseUrl }, thinkingLevel: "off" },
    streamFn: models.streamSimple.bind(models),
    getApiKey: () => "key",
  });
  return prompted(agent, "go", seen);
}

/** The mock model of the floors: it knows its step from the last tool result. */
function scriptStream({ script, latencyMs }) {
  return (_model, context) => {
    const stream = createAssistantMessageEventStream();
    const last = context.messages.at(-1);
    const step = stepAfter(last?.role === "toolResult" ? last.toolCallId : undefined);
    const play = async () => {
      if (latencyMs > 0) await sleep(latencyMs);
      const isCall = step < script.toolSteps;
      const message = {
        role: "assistant",
        content: [],
        api: model.api,
        provider: model.provider,
        model: model.id,
        usage,
        stopReason: isCall ? "toolUse" : "stop",
        timestamp: 0,
      };
      stream.push({ type: "start", partial: message });
      if (isCall) pushCall(stream, message, script, step);
      else pushText(stream, message, script);
      stream.push({ type: "done", reason: message.stopReason, message });
    };
    play().catch((thrown) => stream.end(thrown));
    return stream;
  };
}

function pushCall(stream, partial, script, step) {
  const at = { contentIndex: 0, partial };
  const toolCall = { type: "toolCall", id: callId(step), name: script.toolName, arguments: {} };
  partial.content.push(toolCall);
  stream.push({ type: "toolcall_start", ...at });
  for (const delta of script.argDeltas) stream.push({ type: "toolcall_delta", delta, ...at });
  toolCall.arguments = JSON.parse(script.argDeltas.join(""));
  stream.push({ type: "toolcall_end", toolCall, ...at });
}

function pushText(stream, partial, script) {
  const at = { contentIndex: 0, partial };
  const text = { type: "text", text: "" };
  partial.content.push(text);
  stream.push({ type: "text_start", ...at });
  for (const delta of script.textDeltas) {
    text.text += delta;
    stream.push({ type: "text_delta", delta, ...at });
  }
  stream.push({ type: "text_end", content: text.text, ...at });
}

function weatherTool({ seenRef }) {
  return {
    name: "weather",
    label: "Weather",
    description: "The weather of a city",
    parameters: Type.Object({ city: Type.String(), days: Type.Number() }),
    execute: async () => {
      seenRef.seen.tools++;
      return { content: [{ type: "text", text: toolResult }], details: undefined };
    },
  };
}

function toMessages(history) {
  return history.map((message) => {
    const content = [{ type: "text", text: message.text }];
    switch (message.role) {
      case "user":
        return { role: "user", content, timestamp: 0 };
      case "call": {
        const { id, name, args } = message;
        return reply([{ type: "toolCall", id, name, arguments: args }], "toolUse");
      }
      case "result": {
        const { id: toolCallId, name: toolName } = message;
        return { role: "toolResult", toolCallId, toolName, content, isError: false, timestamp: 0 };
      }
      default:
        return reply(content, "stop");
    }
  });
}

function reply(content, stopReason) {
  const { api, provider, id } = model;
  return { role: "assistant", content, api, provider, model: id, usage, stopReason, timestamp: 0 };
}
