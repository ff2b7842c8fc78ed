/** Stores long outputs as blobs of their session, and shows the model their beginning and end. */
import type { Logger, ToolCallPart, ToolResult } from "@capstan/kernel";
import { serializeError } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { andThen, orElse } from "@capstan/log";
import type { Gap } from "./bound-output.ts";
import { boundOutput } from "./bound-output.ts";
import { keptAs, toBytes } from "./kept-output.ts";
import type { Rest } from "./output-notes.ts";
import { gapNote, readOutputName } from "./output-notes.ts";
import { isLongerThan } from "./output-text.ts";

export interface KeeperOptions {
  readonly maxChars: number;
  /** Whether the model has the `read_output` tool for the rest. */
  readonly canRead: boolean;
  readonly logger: Logger | undefined;
  putBlob(bytes: Uint8Array): MaybePromise<string>;
}

export class OutputKeeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * The blob is stored before the entry that names it: a process that dies in between leaves an unused blob, which is harmless. If the store
   * fails, the output is cut all the same: the tool has run, and the most important part of its output fits into the log.
   */
  bound(call: ToolCallPart, result: ToolResult): MaybePromise<ToolResult> {
    if (!isLongerThan(result.output, this.#options.maxChars)) return result;
    // Its pages are bounded already.
    if (this.#options.canRead && call.name === readOutputName) return result;
    return orElse(
      () => this.#keep(call, result),
      (thrown) => this.#giveUp(call, result, thrown),
    );
  }

  #keep(call: ToolCallPart, result: ToolResult): MaybePromise<ToolResult> {
    const { bytes, form } = toBytes(result.output);
    return andThen(this.#options.putBlob(bytes), (blob) => ({
      ...this.#cut(result, { type: "kept", reference: call.id }),
      kept: keptAs(blob, result.output, form),
    }));
  }

  #giveUp(call: ToolCallPart, result: ToolResult, thrown: unknown): ToolResult {
    const { message } = serializeError(thrown);
    this.#options.logger?.log("warn", `The output of a call could not be stored: ${message}`, {
      toolCallId: call.id,
      toolName: call.name,
    });
    return this.#cut(result, { type: "lost" });
  }

  #cut(result: ToolResult, rest: Rest): ToolResult {
    const { maxChars, canRead } = this.#options;
    const note = (gap: Gap): string => gapNote(gap, rest, canRead);
    return { ...result, output: boundOutput(result.output, maxChars, note) };
  }
}
