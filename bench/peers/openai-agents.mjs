/** OpenAI Agents: `run` with `stream: true` and a model of its own. It keeps no log; a session of it would store items after they happened. */
import { Agent, OpenAIProvider, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";
import { callId, sleep, stepAfter, toolResult } from "../script.mjs";

setTracingDisabled(true);

/** @type {import("../subject.ts").Subject} */
export const subject = {
  name: "openai-agents",
  goals: {},
  packageFolder: "bench/peers/node_modules/@openai/agents",
  async createAgent(options) {
    const weather = tool({
      name: "weather",
      description: "The weather of a city",
      parameters: z.object({ city: z.string(), days: z.number() }),
      execute: async () => {
        options.seenRef.seen.tools++;
        return toolResult;
      },
    });
    const agent = new Agent({ name: "script", model: new ScriptModel(options), tools: [weather] });
    const maxTurns = options.script.toolSteps + 1;
    return {
      prepareHistory: toItems,
      async turn(items, seen) {
        return read(await run(agent, items, { stream: true, maxTurns }), seen);
      },
    };
  },
  // It has a provider of OpenAI alone: models of Anthropic come from the AI SDK, which is a subject of its own.
  wire: {
    async openai({ baseURL, seen }) {
      const provider = new OpenAIProvider({ apiKey: "key", baseURL: `${baseURL}/v1` });
      const agent = new Agent({ name: "wire", model: await provider.getModel("gpt-5") });
      return read(await run(agent, "go", { stream: true }), seen);
    },
  },
};

async function read(result, seen) {
  for await (const event of result) {
    seen.events++;
    if (event.type !== "raw_model_stream_event") continue;
    if (event.data.type === "output_text_delta") seen.delta(event.data.delta);
  }
  await result.completed;
  return result.finalOutput;
}

/** The mock model of the floors: it finds its step from the last tool result. */
class ScriptModel {
  #options;

  constructor(options) {
    this.#options = options;
  }

  getResponse() {
    return Promise.reject(new Error("This model only streams"));
  }

  async *getStreamedResponse({ input }) {
    const { script, latencyMs } = this.#options;
    if (latencyMs > 0) await sleep(latencyMs);
    const last = typeof input === "string" ? undefined : input.at(-1);
    const step = stepAfter(last?.type === "function_call_result" ? last.callId : undefined);
    yield { type: "response_started" };
    const output = step < script.toolSteps ? yield* call(script, step) : yield* text(script);
    const usage = new Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2 });
    yield { type: "response_done", response: { id: `response_${step}`, usage, output: [output] } };
  }
}

function* call(script, step) {
  // The arguments of a call are not part of its own stream: they come as events of the vendor.
  for (const delta of script.argDeltas) {
    yield { type: "model", event: { type: "response.function_call_arguments.delta", delta } };
  }
  return {
    type: "function_call",
    callId: callId(step),
    name: script.toolName,
    arguments: script.argDeltas.join(""),
    status: "completed",
  };
}

function* text(script) {
  for (const delta of script.textDeltas) yield { type: "output_text_delta", delta };
  return assistant(script.text);
}

const assistant = (text) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

function toItems(history) {
  return history.map((message) => {
    switch (message.role) {
      case "user":
        return { role: "user", content: message.text };
      case "call": {
        const { id, name, args } = message;
        const status = "completed";
        return {
          type: "function_call",
          callId: id,
          name,
          arguments: JSON.stringify(args),
          status,
        };
      }
      case "result": {
        const { id, name, text: value } = message;
        const output = { type: "text", text: value };
        return { type: "function_call_result", callId: id, name, status: "completed", output };
      }
      default:
        return assistant(message.text);
    }
  });
}
