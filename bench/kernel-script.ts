/** The script as users of the kernel would have it: a provider, a tool, and a history of messages. */
import type {
  ChatMessage,
  JsonValue,
  ParsedInput,
  ProviderContract,
  ProviderPart,
  ProviderRequest,
  RunTurnInput,
  Timer,
  ToolContract,
} from "@capstan/kernel";
import { runTurn, toTurnResponse } from "@capstan/kernel";
import type { NeutralMessage } from "./script.mjs";
import { sleep, toolResult } from "./script.mjs";
import type { Agent, AgentOptions } from "./subject.ts";

/** For deadlines; it keeps no process alive. */
export const timer: Timer = (ms, fn) => {
  const timeout = setTimeout(fn, ms).unref();
  return () => clearTimeout(timeout);
};

/** The mock model of the floors. It knows its step from the request, so it reads no history. */
export function scriptProvider({ script, latencyMs }: AgentOptions): ProviderContract {
  async function* stream(request: ProviderRequest): AsyncGenerator<ProviderPart> {
    if (latencyMs > 0) await sleep(latencyMs);
    if (request.step <= script.toolSteps) {
      yield { type: "toolcall_start", index: 0, name: script.toolName };
      for (const delta of script.argDeltas) yield { type: "toolcall_delta", index: 0, delta };
      yield { type: "toolcall_end", index: 0 };
      yield { type: "finish", reason: "tool-calls" };
    } else {
      for (const delta of script.textDeltas) yield { type: "text_delta", delta };
      yield { type: "finish", reason: "stop" };
    }
  }
  // More than any history here has.
  return { id: "script", contextWindow: 1_000_000_000, stream };
}

/** An agent of `runTurn` and a listener, with the surroundings that each turn gets. */
export function kernelAgent(
  options: AgentOptions,
  surround: (turnId: string) => Pick<RunTurnInput, "now" | "clock" | "journal">,
): Agent<readonly ChatMessage[]> {
  const provider = scriptProvider(options);
  const tools = [weatherTool(options)];
  let turns = 0;
  return {
    prepareHistory: toChatMessages,
    async turn(messages, seen) {
      const turnId = `turn_${turns++}`;
      const result = await runTurn({
        provider,
        messages,
        tools,
        dispatch: {},
        emit(event) {
          seen.events++;
          if (event.type === "text_delta") seen.delta(event.delta);
        },
        conversationId: "bench",
        turnId,
        ...surround(turnId),
      });
      return toTurnResponse(result).text;
    },
  };
}

export function weatherTool({ seenRef }: AgentOptions): ToolContract {
  return {
    name: "weather",
    description: "The weather of a city",
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number" } },
      required: ["city", "days"],
    },
    effect: "at-most-once",
    parseInput: checkArguments,
    execute: async () => {
      seenRef.seen.tools++;
      return toolResult;
    },
  };
}

/** The check of floor-gen. */
function checkArguments(input: JsonValue): ParsedInput {
  const { city, days } = input as { readonly city?: unknown; readonly days?: unknown };
  return typeof city === "string" && typeof days === "number"
    ? { value: input }
    : { issues: [{ message: "bad arguments" }] };
}

export function toChatMessages(history: readonly NeutralMessage[]): ChatMessage[] {
  return history.map(toChatMessage);
}

function toChatMessage(message: NeutralMessage, index: number): ChatMessage {
  const id = `message_${index}`;
  switch (message.role) {
    case "user":
      return { role: "user", id, content: message.text };
    case "call": {
      const { id: callId, name, args } = message;
      const call = { type: "tool_call", id: callId, name, input: args } as const;
      return { role: "assistant", id, content: [call], stopReason: "tool-calls" };
    }
    case "result": {
      const { id: toolCallId, name: toolName, text: content } = message;
      return { role: "tool", id: toolCallId, toolCallId, toolName, content, isError: false };
    }
    case "assistant":
      return {
        role: "assistant",
        id,
        content: [{ type: "text", text: message.text }],
        stopReason: "stop",
      };
    default:
      return message satisfies never;
  }
}
