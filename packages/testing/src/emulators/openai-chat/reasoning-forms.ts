/** The places where servers show what a model thinks. */
import type { JsonObject } from "../json.ts";
import type { ChatQuirks } from "./dialect.ts";

type Place = ChatQuirks["reasoning"];

export interface Thought {
  text: string;
  signature: string;
}

/** What the first chunk says of it. A place that has to come back is there even if it stays empty. */
export function openThinking(place: Place): JsonObject {
  return place === "reasoning_content" ? { reasoning_content: "" } : {};
}

/** A piece of thinking in a stream. Undefined where it is not shown. */
export function thinkingDelta(place: Place, delta: string, index: number): JsonObject | undefined {
  switch (place) {
    case "hidden":
      return undefined;
    case "reasoning_content":
      return { content: null, reasoning_content: delta };
    case "reasoning":
      return { content: "", reasoning: delta };
    case "reasoning_details":
      return {
        content: "",
        reasoning: delta,
        reasoning_details: [{ ...headOf(index), text: delta }],
      };
    case "parts":
      return { content: [{ type: "thinking", thinking: [{ type: "text", text: delta }] }] };
    default:
      return place satisfies never;
  }
}

/** What a server sends when a thought has come to its end. */
export function closeThinking(
  place: Place,
  { signature }: Thought,
  index: number,
): JsonObject | undefined {
  if (place === "reasoning_details") {
    return { content: "", reasoning: null, reasoning_details: [{ ...headOf(index), signature }] };
  }
  return place === "parts"
    ? { content: [{ type: "thinking", thinking: [], closed: true }] }
    : undefined;
}

/** The fields of a message that comes in one piece. */
export function wholeThinking(
  place: Place,
  thoughts: readonly Thought[],
  said: string,
): JsonObject {
  if (thoughts.length === 0) return openThinking(place);
  const text = thoughts.map((thought) => thought.text).join("");
  switch (place) {
    case "hidden":
      return {};
    case "reasoning_content":
      return { reasoning_content: text };
    case "reasoning":
      return { reasoning: text };
    case "reasoning_details":
      return {
        reasoning: text,
        reasoning_details: thoughts.map((thought, index) => ({ ...headOf(index), ...thought })),
      };
    case "parts":
      return {
        content: [
          ...thoughts.map((thought) => ({
            type: "thinking",
            thinking: [{ type: "text", text: thought.text }],
            closed: true,
          })),
          ...(said === "" ? [] : [{ type: "text", text: said }]),
        ],
      };
    default:
      return place satisfies never;
  }
}

function headOf(index: number): JsonObject {
  return { type: "reasoning.text", format: "anthropic-claude-v1", index };
}
