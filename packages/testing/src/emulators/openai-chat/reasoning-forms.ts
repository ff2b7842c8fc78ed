/** Fields in which servers show a model's thinking. */
import type { JsonObject } from "../json.ts";
import type { ChatQuirks } from "./dialect.ts";

type Form = ChatQuirks["reasoning"];

export interface Thought {
  text: string;
  signature: string;
}

/** Fields of the first chunk. A field that must be sent back is present even if it stays empty. */
export function openThinking(form: Form): JsonObject {
  return form === "reasoning_content" ? { reasoning_content: "" } : {};
}

/** A piece of thinking in a stream. Undefined if it is not shown. */
export function thinkingDelta(form: Form, delta: string, index: number): JsonObject | undefined {
  switch (form) {
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
      return form satisfies never;
  }
}

/** Fields sent at the end of a thought. */
export function closeThinking(
  form: Form,
  { signature }: Thought,
  index: number,
): JsonObject | undefined {
  if (form === "reasoning_details") {
    return { content: "", reasoning: null, reasoning_details: [{ ...headOf(index), signature }] };
  }
  return form === "parts"
    ? { content: [{ type: "thinking", thinking: [], closed: true }] }
    : undefined;
}

/** Fields of a complete message. */
export function wholeThinking(form: Form, thoughts: readonly Thought[], said: string): JsonObject {
  if (thoughts.length === 0) return openThinking(form);
  const text = thoughts.map((thought) => thought.text).join("");
  switch (form) {
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
      return form satisfies never;
  }
}

function headOf(index: number): JsonObject {
  return { type: "reasoning.text", format: "anthropic-claude-v1", index };
}
