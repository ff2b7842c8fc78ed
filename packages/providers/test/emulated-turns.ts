/** Turns with emulated vendors, which refuse what the real ones refuse. */
import type { ChatMessage, ProviderStreamOptions, RunTurnInput } from "@capstan/kernel";
import type { FinishedTurn } from "@capstan/testing";
import { runToEnd, sequentialIds } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import { anthropic } from "../src/anthropic.ts";
import type { VendorFunction } from "../src/vendors/vendor-function.ts";

export interface EmulatedTurn extends Partial<RunTurnInput> {
  /** Default `anthropic`. */
  readonly vendor?: VendorFunction;
  readonly model: string;
  readonly url: string;
  readonly options?: ProviderStreamOptions;
  readonly isStreaming?: boolean;
}

/** One turn of a conversation with a model. */
export async function turnWith({
  vendor = anthropic,
  model,
  url,
  options = {},
  isStreaming = true,
  ...input
}: EmulatedTurn): Promise<FinishedTurn> {
  const { provider, id } = vendor(model, {
    baseUrl: url,
    apiKey: "test-key",
    stream: isStreaming,
  });
  return runToEnd({
    provider,
    providerOpts: { model: id, ...options },
    ...input,
    clock: { newId, ...input.clock },
  });
}

/** One for all turns: they are of one conversation. */
const newId = sequentialIds();

export function user(content: string): ChatMessage {
  return { role: "user", id: newId(), content };
}

/** What the emulator refused, and why. */
export function refusalsOf({ refusals }: Emulator): string[] {
  return refusals.map(({ message }) => message);
}

/** The texts of the replies in a transcript. */
export function repliesIn(messages: readonly ChatMessage[]): string[] {
  return messages
    .filter((message) => message.role === "assistant")
    .map(({ content }) => content.map((part) => (part.type === "text" ? part.text : "")).join(""));
}
