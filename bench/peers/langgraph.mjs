/** LangGraph: `createReactAgent` without a checkpointer, its messages streamed. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { callId, sleep, stepAfter, toolResult } from "../script.mjs";

/** @type {import("../subject.ts").Subject} */
export const subject = {
  name: "langgraph",
  goals: {},
  packageFolder: "bench/peers/node_modules/@langchain/langgraph",
  async createAgent(options) {
    const weather = tool(
      async () => {
        options.seenRef.seen.tools++;
        return toolResult;
      },
      {
        name: "weather",
        description: "The weather of a city",
        schema: z.object({ city: z.string(), days: z.number() }),
      },
    );
    const agent = createReactAgent({ llm: new ScriptModel(options), tools: [weather] });
    const settings = { streamMode: "messages", recursionLimit: 2 * options.script.toolSteps + 3 };
    return {
      prepareHistory: toMessages,
      async turn(messages, seen) {
        return read(await agent.stream({ messages }, settings), seen);
      },
    };
  },
  // The models are loaded when they are asked for, so that they cost the other benches nothing.
  wire: {
    async openai({ baseURL, seen }) {
      const { ChatOpenAI } = await import("@langchain/openai");
      const configuration = { baseURL: `${baseURL}/v1` };
      const settings = { model: "gpt-5", apiKey: "key", useResponsesApi: true, configuration };
      return ask(new ChatOpenAI(settings), seen);
    },
    async anthropic({ baseURL, seen }) {
      const { ChatAnthropic } = await import("@langchain/anthropic");
      const settings = { model: "claude-sonnet-5", apiKey: "key", anthropicApiUrl: baseURL };
      return ask(new ChatAnthropic(settings), seen);
    },
  },
};

async function read(stream, seen) {
  let text = "";
  for await (const [chunk] of stream) {
    seen.events++;
    if (chunk.getType() !== "ai" || chunk.text === "") continue;
    seen.delta(chunk.text);
    text += chunk.text;
  }
  return text;
}

async function ask(llm, seen) {
  const agent = createReactAgent({ llm, tools: [] });
  const messages = [new HumanMessage("go")];
  return read(await agent.stream({ messages }, { streamMode: "messages" }), seen);
}

/** The mock model of the floors: it finds its step from the last tool result. */
class ScriptModel extends BaseChatModel {
  #options;

  constructor(options) {
    super({});
    this.#options = options;
  }

  _llmType() {
    return "script";
  }

  bindTools() {
    return this;
  }

  _generate() {
    return Promise.reject(new Error("This model only streams"));
  }

  async *_streamResponseChunks(messages, _options, runManager) {
    const { script, latencyMs } = this.#options;
    if (latencyMs > 0) await sleep(latencyMs);
    const last = messages.at(-1);
    const step = stepAfter(last?.getType() === "tool" ? last.tool_call_id : undefined);
    if (step < script.toolSteps) {
      yield callChunk({ index: 0, id: callId(step), name: script.toolName, args: "" });
      for (const args of script.argDeltas) yield callChunk({ index: 0, args });
      return;
    }
    for (const text of script.textDeltas) {
      const chunk = new ChatGenerationChunk({
        text,
        message: new AIMessageChunk({ content: text }),
      });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, {
        chunk,
      });
    }
  }
}

function callChunk(chunk) {
  const call = { type: "tool_call_chunk", ...chunk };
  return new ChatGenerationChunk({
    text: "",
    message: new AIMessageChunk({ content: "", tool_call_chunks: [call] }),
  });
}

/** With ids, which the graph would otherwise write into them. */
function toMessages(history) {
  return history.map((message, index) => {
    const id = `message_${index}`;
    switch (message.role) {
      case "user":
        return new HumanMessage({ content: message.text, id });
      case "call": {
        const { id: call, name, args } = message;
        return new AIMessage({ content: "", id, tool_calls: [{ id: call, name, args }] });
      }
      case "result": {
        const { id: call, name, text } = message;
        return new ToolMessage({ content: text, id, tool_call_id: call, name });
      }
      default:
        return new AIMessage({ content: message.text, id });
    }
  });
}
