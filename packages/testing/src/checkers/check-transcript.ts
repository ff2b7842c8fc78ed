/** Checks a transcript, and reports each problem with its index: the next provider accepts any transcript that passes. */
import type { ChatMessage } from "@capstan/kernel";
import { throwIfAny } from "./problem.ts";
import { checkContent } from "./transcript-content.ts";
import { checkOrder } from "./transcript-order.ts";
import { problemAt } from "./transcript-problem.ts";
import type { TranscriptProblem } from "./transcript-problem.ts";
import { checkResults } from "./transcript-results.ts";

/** Options of `checkTranscript`. */
export interface TranscriptOptions {
  /** True if the last assistant message may have calls without results, as a suspended turn leaves it. */
  readonly allowOpenTail?: boolean;
}

/** Returns all problems, ordered by index. */
export function checkTranscript(
  messages: readonly ChatMessage[],
  { allowOpenTail = false }: TranscriptOptions = {},
): TranscriptProblem[] {
  return [
    ...checkMessageIds(messages),
    ...checkOrder(messages),
    ...messages.flatMap(checkContent),
    ...checkResults(messages, { allowOpenTail }),
  ].toSorted((a, b) => a.index - b.index);
}

/** Throws one error that lists every problem. */
export function assertValidTranscript(
  messages: readonly ChatMessage[],
  options: TranscriptOptions = {},
): void {
  throwIfAny("The transcript is not valid", checkTranscript(messages, options));
}

function checkMessageIds(messages: readonly ChatMessage[]): TranscriptProblem[] {
  const problems: TranscriptProblem[] = [];
  const seen = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    const first = seen.get(message.id);
    if (first === undefined) seen.set(message.id, index);
    else {
      const text = `message [${first}] has the same id`;
      problems.push(problemAt(message, index, "duplicate-message-id", text));
    }
  }
  return problems;
}
