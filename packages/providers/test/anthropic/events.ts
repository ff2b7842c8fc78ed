/** Events of the Messages API, and what the protocol makes of them. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { claudeTarget } from "./requests.ts";

type Event = { readonly [key: string]: JsonValue };

const target = claudeTarget("claude-sonnet-4-5");

/** Decodes a stream to its end. */
export function decodeEvents(events: readonly Event[]): ProviderPart[] {
  const parts: ProviderPart[] = [];
  const decoder = anthropicMessages.decoder(target);
  for (const event of events) decoder.take(sse(JSON.stringify(event)), parts);
  decoder.end(parts);
  return parts;
}

/** Decodes one event that is taken as it is written. */
export function decodeText(data: string): ProviderPart[] {
  const parts: ProviderPart[] = [];
  anthropicMessages.decoder(target).take(sse(data), parts);
  return parts;
}

export function decodeWhole(body: JsonValue): ProviderPart[] {
  return anthropicMessages.decodeBody(body, target);
}

function sse(data: string): {
  readonly event: string;
  readonly data: string;
  readonly id: string;
  readonly isBare: boolean;
} {
  return { event: "message", data, id: "", isBare: false };
}

export function messageStart(usage: JsonValue = { input_tokens: 3, output_tokens: 1 }): Event {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [] };
  return { type: "message_start", message: { ...message, stop_reason: null, usage } };
}

/** A block that is started, filled and ended. */
export function block(index: number, start: Event, deltas: readonly Event[] = []): Event[] {
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

export function messageEnd(stopReason: string, more: Event = {}): Event[] {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return [{ type: "message_delta", delta, ...more }, { type: "message_stop" }];
}

/** The parts of content of a reply that has only these blocks. */
export function decodeBlocks(blocks: readonly Event[], stopReason = "end_turn"): ProviderPart[] {
  return decodeEvents([messageStart(), ...blocks, ...messageEnd(stopReason)]).filter(
    ({ type }) => type !== "start" && type !== "usage" && type !== "finish",
  );
}
