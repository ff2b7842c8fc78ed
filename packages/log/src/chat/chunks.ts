/** Chunks of the UI message stream, as clients of the AI SDK read them. */
import type { JsonValue } from "@capstan/kernel";

/** Major version of the AI SDK that a page uses. */
export type ChatProtocol = 5 | 6 | 7;

/** Metadata of an assistant message on the page. */
export type MessageMetadata = Readonly<Record<string, JsonValue>>;

interface ToolChunk {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Set for tools of the server: the page must not run them. */
  readonly providerExecuted?: boolean;
}

/** Part of a stream to a page of the AI SDK, in the format of its UI message stream. */
export type Chunk =
  | {
      readonly type: "start";
      readonly messageId: string;
      readonly messageMetadata?: MessageMetadata;
    }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: "text-start" | "text-end"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "reasoning-delta"; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-start" } & ToolChunk)
  | {
      readonly type: "tool-input-delta";
      readonly toolCallId: string;
      readonly inputTextDelta: string;
    }
  | ({ readonly type: "tool-input-available"; readonly input: JsonValue } & ToolChunk)
  | ({
      readonly type: "tool-input-error";
      readonly input: JsonValue;
      readonly errorText: string;
    } & ToolChunk)
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string;
    }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: JsonValue;
      readonly preliminary?: boolean;
    }
  | {
      readonly type: "tool-output-error";
      readonly toolCallId: string;
      readonly errorText: string;
    }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  /** A child session at work on a call; the next one with the same id replaces it. */
  | { readonly type: "data-child"; readonly id: string; readonly data: JsonValue }
  | {
      readonly type: "steering-message";
      readonly id: string;
      /** Not a read-only list: the types of the AI SDK have none. */
      readonly parts: SteeringPart[];
    }
  | {
      readonly type: "finish";
      readonly finishReason?: ChunkFinishReason;
      readonly messageMetadata?: MessageMetadata;
    }
  | { readonly type: "abort"; readonly reason?: string }
  | { readonly type: "error"; readonly errorText: string };

/** Reasons that all versions since 6 know. Version 5 gets none. */
export type ChunkFinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "other";

/** Part of a message that arrived while the turn was running. */
export type SteeringPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly mediaType: string; readonly url: string };

/**
 * Chunks of a reply that adds nothing. The empty step keeps a page from sending again: pages send by themselves while the last step of a
 * message has tool calls that are all answered, and only metadata makes them store the step.
 */
export const nothingAdded: readonly Chunk[] = [
  { type: "start-step" },
  { type: "finish-step" },
  { type: "finish", messageMetadata: {} },
];
