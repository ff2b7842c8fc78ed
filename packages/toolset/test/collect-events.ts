import type { AnyTool } from "@capstan/core";
import { bindTools, createScope } from "@capstan/core";
import type { JsonValue, ToolExecuteContext, ToolExecutionEvent } from "@capstan/kernel";
import { onTestFinished } from "vitest";

interface Completed {
  readonly deltas: string;
  readonly output: string;
  readonly isError: boolean;
  readonly details: unknown;
}

export type Call = (
  tool: AnyTool,
  input: JsonValue,
  options?: { readonly cwd?: string; readonly signal?: AbortSignal },
) => Promise<Completed>;

/** Calls tools one after the other as a session does: their jobs last until `dispose`, or the end of the test. */
export function openSession(): { readonly call: Call; dispose(): Promise<void> } {
  const scope = createScope();
  onTestFinished(() => scope.dispose());
  const call: Call = async (tool, input, { cwd, signal = new AbortController().signal } = {}) => {
    const [bound] = bindTools([tool], scope);
    const parsed = await bound?.parseInput?.(input);
    if (parsed === undefined || parsed.issues !== undefined) throw new Error("not executed");
    const context: ToolExecuteContext = {
      toolCallId: "call-1",
      conversationId: "conversation-1",
      turnId: "turn-1",
      step: 1,
      signal,
      cwd,
      idempotencyKey: "key-1",
      logger: undefined,
      update: () => {},
      usage: () => {},
    };
    const returned: unknown = await bound?.execute?.(parsed.value as never, context);
    return collect(returned);
  };
  return { call, dispose: () => scope.dispose() };
}

async function collect(returned: unknown): Promise<Completed> {
  if (!isEvents(returned)) {
    // What does not stream gives the envelope here.
    const { ok, outputMessage, details } = returned as {
      ok: boolean;
      outputMessage: string;
      details: unknown;
    };
    return { deltas: "", output: outputMessage, isError: !ok, details };
  }
  const events = await Array.fromAsync(returned);
  const deltas = events.flatMap((event) => (event.type === "delta" ? [event.delta] : [])).join("");
  const last = events.at(-1);
  if (last?.type !== "complete") throw new Error("it never completed");
  const output = typeof last.output === "string" ? last.output : JSON.stringify(last.output);
  return { deltas, output, isError: last.isError ?? false, details: last.details };
}

function isEvents(value: unknown): value is AsyncIterable<ToolExecutionEvent> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
