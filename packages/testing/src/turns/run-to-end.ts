/** Runs one turn with test defaults, and returns everything it did. */
import { runTurn } from "@capstan/kernel";
import type {
  AgentEvent,
  ChatMessage,
  ProviderContract,
  RunTurnInput,
  RunTurnResult,
} from "@capstan/kernel";
import { recordEvents } from "./record-events.ts";
import type { EventRecorder } from "./record-events.ts";
import { sequentialIds } from "./sequential-ids.ts";

/** Any of the turn's input; only the provider has no default. */
export type RunToEndOptions = Partial<RunTurnInput> & { readonly provider: ProviderContract };

/** Result of `runToEnd`: that of the turn, its events and the whole transcript. */
export interface FinishedTurn extends RunTurnResult {
  readonly events: readonly AgentEvent[];
  readonly recorder: EventRecorder;
  /** History, input and new messages: the transcript after the turn. */
  readonly transcript: readonly ChatMessage[];
}

const greeting: ChatMessage = { role: "user", id: "u1", content: "Hello" };

/**
 * Runs a turn to its end, and records its events. Without `messages` and `input` the history is one user message.
 * Ids count from 1; no clock and no timer are passed. The caller's `emit` gets each event after it was recorded.
 */
export async function runToEnd(options: RunToEndOptions): Promise<FinishedTurn> {
  const recorder = recordEvents();
  const messages = options.messages ?? (options.input === undefined ? [greeting] : []);
  const result = await runTurn({
    conversationId: "c1",
    turnId: "t1",
    tools: [],
    dispatch: {},
    ...options,
    clock: { newId: sequentialIds(), ...options.clock },
    messages,
    emit: (event) => {
      recorder.emit(event);
      // Returned, so that the kernel sees the promise of a listener that is async despite its type.
      return options.emit?.(event);
    },
  });
  return {
    ...result,
    events: recorder.events,
    recorder,
    transcript: [...messages, ...(options.input ?? []), ...result.messages],
  };
}
