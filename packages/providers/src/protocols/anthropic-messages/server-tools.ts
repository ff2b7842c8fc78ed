/** Calls that the vendor ran itself, and their results: one is never sent back without the other. */
import type { AssistantMessage, AssistantPart, ChatMessage } from "@capstan/kernel";
import type { TargetOrigin } from "../../wire/protocol.ts";
import { readableOf } from "../../projection/readable-origins.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

interface Begun {
  readonly part: AssistantPart;
  readonly message: AssistantMessage;
}

/** Server tools of a transcript that may be sent back. */
export class ServerTools {
  /** Calls to send back, and their results. */
  readonly parts: ReadonlySet<AssistantPart>;
  /** The vendor's ids of these calls. */
  readonly ids: ReadonlySet<string>;

  /**
   * Keeps calls with a result, and calls that are still running because the reply was paused or waits for our tools. Leaves out calls
   * that were cut off in between, and results whose call is missing.
   */
  constructor(messages: readonly ChatMessage[], target: TargetOrigin) {
    const parts = new Set<AssistantPart>();
    const ids = new Set<string>();
    const running = new Map<string, Begun>();
    for (const message of messages) {
      if (!isReadableReply(message, target)) continue;
      for (const part of message.content) {
        const id = callId(part);
        if (id !== undefined && !ids.has(id)) running.set(id, { part, message });
        const answered = answeredId(part);
        const begun = answered === undefined ? undefined : running.get(answered);
        if (answered === undefined || begun === undefined) continue;
        running.delete(answered);
        ids.add(answered);
        parts.add(begun.part).add(part);
      }
    }
    const last = messages.at(-1);
    const lastReply = messages.findLast((message) => message.role === "assistant");
    for (const [id, { part, message }] of running) {
      const isPaused = message === last && message.stopReason === "pause";
      const isWaiting = message === lastReply && waitsForTools(message);
      if (!isPaused && !isWaiting) continue;
      ids.add(id);
      parts.add(part);
    }
    this.parts = parts;
    this.ids = ids;
  }
}

function isReadableReply(message: ChatMessage, target: TargetOrigin): message is AssistantMessage {
  if (message.role !== "assistant" || message.stopReason === "error") return false;
  return readableOf(message.origin, target).native;
}

/** Whether the vendor resumes its own tools as soon as ours have answered. */
function waitsForTools({ stopReason, content }: AssistantMessage): boolean {
  if (stopReason !== "tool-calls") return false;
  return content.some((part) => part.type === "tool_call" && part.isProviderExecuted !== true);
}

/** The vendor's id of a call it ran, if the call is complete. */
function callId(part: AssistantPart): string | undefined {
  if (part.type !== "tool_call" || part.isProviderExecuted !== true) return undefined;
  if (part.malformedInput !== undefined || !isObject(part.providerData)) return undefined;
  return textAt(part.providerData, "type") && textAt(part.providerData, "id");
}

/** The vendor's id of the call that a native part answers. */
export function answeredId(part: AssistantPart): string | undefined {
  if (part.type !== "native" || !isObject(part.data)) return undefined;
  return textAt(part.data, "tool_use_id");
}
