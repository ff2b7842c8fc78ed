/** Runs one call that the AI SDK makes to one of our tools. */
import type { ToolContract, ToolExecuteContext, ToolExecutionEvent } from "@capstan/kernel";
import { describe, parseWith } from "./tool-schema.ts";
import { outputOf, outputOfEvent } from "./tool-return.ts";

/** Yields the tool's text so far whenever it grows, then the output: the AI SDK takes the last yielded value as the output. */
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
    // A consumer that left early does not want the rest.
    for (const iterator of iterators) leave(iterator);
  }
}

async function run(
  tool: ToolContract,
  input: unknown,
  context: ToolExecuteContext,
  iterators: AsyncIterator<unknown>[],
): Promise<unknown> {
  // The value comes from the tool's own `parseInput`.
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
  // No caller awaits it, so its failure does not matter.
  iterator.return?.().then(
    () => {},
    () => {},
  );
}

/** Growing text, with a way to wait for more of it. */
class ShownText {
  text = "";
  #seen = 0;
  #wake: (() => void) | undefined;

  append(delta: string): void {
    this.text += delta;
    this.#wake?.();
  }

  /** Resolves once there is more text than at the last call. */
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
