/** Rules for tool calls: each has exactly one result, directly after its message, in call order. */
import type { ChatMessage, ToolCallPart, ToolMessage } from "@capstan/kernel";
import { problemAt } from "./transcript-problem.ts";
import type { TranscriptProblem } from "./transcript-problem.ts";

export interface ResultRules {
  /** True if calls of the last assistant message may still wait for their results. */
  readonly allowOpenTail: boolean;
}

export function checkResults(
  messages: readonly ChatMessage[],
  rules: ResultRules,
): TranscriptProblem[] {
  const callIds = new Set(messages.flatMap(callsOf).map((call) => call.id));
  const resultIds = new Set(messages.flatMap((m) => (m.role === "tool" ? [m.toolCallId] : [])));
  const problems: TranscriptProblem[] = checkCallIds(messages);
  let index = 0;
  while (index < messages.length) {
    const batch = readBatch(messages, index);
    problems.push(...checkCalls(batch), ...checkBatch(batch, callIds));
    if (!(rules.allowOpenTail && batch.end === messages.length)) {
      problems.push(...checkMissing(batch, resultIds));
    }
    index = batch.end;
  }
  return problems;
}

/** One message that is not a result, with its calls and the results directly after it. */
interface Batch {
  readonly head: ChatMessage;
  readonly headIndex: number;
  readonly calls: readonly ToolCallPart[];
  readonly results: readonly { readonly index: number; readonly message: ToolMessage }[];
  readonly end: number;
}

function readBatch(messages: readonly ChatMessage[], headIndex: number): Batch {
  // In range, as the caller checked it.
  const head = messages[headIndex] as ChatMessage;
  const results: { index: number; message: ToolMessage }[] = [];
  let end = head.role === "tool" ? headIndex : headIndex + 1;
  for (let next = messages[end]; next?.role === "tool"; next = messages[end]) {
    results.push({ index: end, message: next });
    end += 1;
  }
  return { head, headIndex, calls: callsOf(head), results, end };
}

function callsOf(message: ChatMessage): ToolCallPart[] {
  // Content that is not an array is reported with the message itself.
  if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
  return message.content.filter((part) => part?.type === "tool_call");
}

function checkCallIds(messages: readonly ChatMessage[]): TranscriptProblem[] {
  const problems: TranscriptProblem[] = [];
  const seen = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    for (const { id } of callsOf(message)) {
      const first = seen.get(id);
      if (first === undefined) seen.set(id, index);
      else {
        const text = `the call id ${JSON.stringify(id)} was used before, in message [${first}]`;
        problems.push(problemAt(message, index, "duplicate-call-id", text, id));
      }
    }
  }
  return problems;
}

function checkCalls({ head, headIndex, calls }: Batch): TranscriptProblem[] {
  if (head.role !== "assistant" || head.stopReason !== "error") return [];
  return calls.map(({ id }) => {
    const text = `it failed, but has the call ${JSON.stringify(id)}`;
    return problemAt(head, headIndex, "call-in-failed-message", text, id);
  });
}

function checkBatch(batch: Batch, callIds: ReadonlySet<string>): TranscriptProblem[] {
  const problems: TranscriptProblem[] = [];
  const seen = new Set<string>();
  let lastIndex = -1;
  for (const { index, message } of batch.results) {
    const id = message.toolCallId;
    const callIndex = batch.calls.findIndex((call) => call.id === id);
    const call = batch.calls[callIndex];
    const report = (code: TranscriptProblem["code"], text: string): void => {
      problems.push(problemAt(message, index, code, text, id));
    };
    if (call === undefined) {
      if (callIds.has(id)) {
        report("misplaced-result", "it does not directly follow the assistant message of its call");
      } else {
        report("result-without-call", `no earlier message has the call ${JSON.stringify(id)}`);
      }
    } else if (call.isProviderExecuted === true) {
      report("result-without-call", "the provider executed its call, which must not have a result");
    } else if (seen.has(id)) {
      report("duplicate-result", `the call ${JSON.stringify(id)} has a result already`);
    } else {
      if (callIndex < lastIndex) report("misplaced-result", "it is not in call order");
      problems.push(...checkFit(call, message, index));
    }
    seen.add(id);
    lastIndex = Math.max(lastIndex, callIndex);
  }
  return problems;
}

function checkFit(call: ToolCallPart, message: ToolMessage, index: number): TranscriptProblem[] {
  const problems: TranscriptProblem[] = [];
  if (message.toolName !== call.name) {
    const text = `it names the tool ${JSON.stringify(message.toolName)}, its call names ${JSON.stringify(call.name)}`;
    problems.push(problemAt(message, index, "result-mismatch", text, call.id));
  }
  if (message.id !== call.id) {
    const text = `its id is not that of its call, ${JSON.stringify(call.id)}`;
    problems.push(problemAt(message, index, "result-mismatch", text, call.id));
  }
  if (call.malformedInput !== undefined && !message.isError) {
    const text = "the arguments of its call were malformed, but it is not an error";
    problems.push(problemAt(message, index, "malformed-call-succeeded", text, call.id));
  }
  return problems;
}

/** A result elsewhere is reported there, as misplaced. */
function checkMissing(
  { head, headIndex, calls }: Batch,
  resultIds: ReadonlySet<string>,
): TranscriptProblem[] {
  if (head.role === "assistant" && head.stopReason === "error") return [];
  return calls
    .filter((call) => call.isProviderExecuted !== true && !resultIds.has(call.id))
    .map(({ id, name }) => {
      const text = `its call ${JSON.stringify(id)} of ${JSON.stringify(name)} has no result`;
      return problemAt(head, headIndex, "missing-result", text, id);
    });
}
