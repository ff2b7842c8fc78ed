/** A tool whose calls settle when the test says so. */
import type { JsonValue, ToolReturn } from "@capstan/kernel";
import { declaration } from "./test-tools.ts";
import type { RecordingTool, StartedCall, TestToolOptions } from "./test-tools.ts";

/** A tool whose calls end when the test says so. */
export interface DeferredTool extends RecordingTool {
  /** Ids of the calls whose signal has fired, in that order. */
  readonly aborted: readonly string[];
  /** Resolves as soon as this many calls have started, with these calls. */
  whenStarted(count?: number): Promise<readonly StartedCall[]>;
  /** Settles a call that has started and not settled; any other id is an error. */
  resolve(toolCallId: string, output: ToolReturn): void;
  reject(toolCallId: string, error: Error): void;
}

/** Options of `deferredTool`. */
export interface DeferredToolOptions extends TestToolOptions {
  /** True if a call rejects when its signal fires. Otherwise, an abort is only recorded. */
  readonly settlesOnAbort?: boolean;
}

/** Creates a tool whose calls end when the test says so. Named `deferred`. */
export function deferredTool(options: DeferredToolOptions = {}): DeferredTool {
  const { settlesOnAbort = false, ...contract } = options;
  const started: StartedCall[] = [];
  const aborted: string[] = [];
  const open = new Map<string, PromiseWithResolvers<ToolReturn>>();
  const waiting = new Set<{ readonly count: number; readonly onStarted: () => void }>();

  const take = (toolCallId: string): PromiseWithResolvers<ToolReturn> => {
    const call = open.get(toolCallId);
    if (call === undefined) {
      const known = [...open.keys()].join(", ") || "none";
      throw new Error(
        `No open call "${toolCallId}" of ${contract.name ?? "deferred"}: open calls are ${known}`,
      );
    }
    open.delete(toolCallId);
    return call;
  };

  const onAbort = (toolCallId: string): void => {
    aborted.push(toolCallId);
    if (settlesOnAbort && open.has(toolCallId)) take(toolCallId).reject(new Error("aborted"));
  };

  return {
    ...declaration("deferred", "Settles when the test says so", contract),
    started,
    aborted,
    execute(input: JsonValue, context) {
      const { toolCallId, signal } = context;
      const call = Promise.withResolvers<ToolReturn>();
      open.set(toolCallId, call);
      started.push({ toolCallId, input, context });
      if (signal.aborted) onAbort(toolCallId);
      else signal.addEventListener("abort", () => onAbort(toolCallId), { once: true });
      for (const reader of waiting) if (started.length >= reader.count) reader.onStarted();
      return call.promise;
    },
    async whenStarted(count = 1) {
      if (started.length < count) {
        const reached = Promise.withResolvers<void>();
        waiting.add({ count, onStarted: reached.resolve });
        await reached.promise;
      }
      return started.slice(0, count);
    },
    resolve: (toolCallId, output) => take(toolCallId).resolve(output),
    reject: (toolCallId, error) => take(toolCallId).reject(error),
  };
}
