/** One call of a tool of ours that the AI SDK makes. */
import type { ToolContract, ToolExecuteContext, ToolExecutionEvent } from "@capstan/kernel";
import { describe, parseWith } from "./tool-schema.ts";
import { outputOf, outputOfEvent } from "./tool-return.ts";

/**
 * Yields what the tool has shown so far, whenever it shows more, and its output at last: for the AI SDK, what is yielded last is the output.
 */
export async function* runTool(
  tool: ToolContract,
  sent: unknown,
  context: Omit<ToolExecuteContext, "update">,
): AsyncGenerator<unknown, void> {
  const parsed = await parseWith(tool, sent);
  if (parsed.issues !== undefined) {
    throw new Error(`Invalid input for "${tool.name}". ${parsed.issues.map(describe).join("; ")}`);
  }
  const shown = new ShownText();
  const update = (delta: string): void => shown.append(delta);
  const iterators: AsyncIterator<unknown>[] = [];
  const output = run(tool, parsed.value, { ...context, update }, iterators);
  const isOver = output.then(
    () => false,
    () => false,
  );
  try {
    while (await Promise.race([shown.more(), isOver])) yield shown.text;
    yield await output;
  } finally {
    // Who left early does not want the rest.
    for (const iterator of iterators) leave(iterator);
  }
}

async function run(
  tool: ToolContract,
  input: unknown,
  context: ToolExecuteContext,
  iterators: AsyncIterator<unknown>[],
): Promise<unknown> {
  // It is what the tool's own `parseInput` gave.
  const returned: unknown = await tool.execute?.(input as never, context);
  if (!isEvents(returned)) return outputOf(returned);
  const events = returned[Symbol.asyncIterator]();
  iterators.push(events);
  let streamed = "";
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) {
      if (streamed === "") throw new Error("The tool ended without a result.");
      return streamed;
    }
    if (value.type === "complete") return outputOfEvent(value);
    streamed += value.delta;
    context.update(value.delta);
  }
}

function isEvents(value: unknown): value is AsyncIterable<ToolExecutionEvent> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function leave(iterator: AsyncIterator<unknown>): void {
  // Nobody waits for it, so nobody has a use for its failure.
  iterator.return?.().then(
    () => {},
    () => {},
  );
}

/** A text that grows, and somebody who waits for it to. */
class ShownText {
  text = "";
  #seen = 0;
  #wake: (() => void) | undefined;

  append(delta: string): void {
    this.text += delta;
    this.#wake?.();
  }

  /** True as soon as there is more than the last time. */
  async more(): Promise<true> {
    if (this.text.length === this.#seen) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#seen = this.text.length;
    return true;
  }
}
