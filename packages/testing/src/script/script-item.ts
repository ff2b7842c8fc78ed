/** Building blocks of a script, and the state of a reply while it is played. */
import type { ProviderPart, ProviderRequest } from "@capstan/kernel";

/** One piece of a reply: it yields parts, or makes the stream fail, wait or end. */
export interface Fragment {
  /** Name of the fragment in `assertComplete`. */
  readonly label: string;
  play(reply: ReplyUnderWay): Iterable<ProviderPart> | AsyncIterable<ProviderPart>;
}

/** Answer to one provider call: a fragment, several in order, or a function of the request. */
export type ScriptItem =
  | Fragment
  | readonly ScriptItem[]
  | ((request: ProviderRequest) => ScriptItem | Promise<ScriptItem>);

/** State of the reply that a script is writing, for authors of script items. */
export class ReplyUnderWay {
  readonly request: ProviderRequest;
  /** True once nothing more is played: the stream was cut off, or its reader left. */
  isOver = false;
  hasFinished = false;
  hasUsage = false;
  hasToolCalls = false;
  /** Kind of the part that a delta of the same kind would continue. */
  openKind: "text" | "thinking" | undefined;
  nextIndex = 0;
  readonly #openCalls = new Set<number>();
  readonly #readerLeft = Promise.withResolvers<void>();

  constructor(request: ProviderRequest) {
    this.request = request;
  }

  get hasCutCall(): boolean {
    return this.#openCalls.size > 0;
  }

  /** Called when the reader leaves: ends all waits. */
  close(): void {
    this.isOver = true;
    this.#readerLeft.resolve();
  }

  /** Waits for the promise, unless the reader leaves first. Throws when the request's signal fires. */
  async wait(promise: Promise<unknown>): Promise<void> {
    const { signal } = this.request;
    if (signal.aborted) throw abortError(signal);
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(abortError(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([promise, aborted.promise, this.#readerLeft.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Updates the state for a part that is about to be yielded. */
  note(part: ProviderPart): void {
    switch (part.type) {
      case "text_start":
      case "text_delta":
        this.openKind = "text";
        return;
      case "thinking_start":
      case "thinking_delta":
        this.openKind = "thinking";
        return;
      case "toolcall_start":
        this.openKind = undefined;
        this.nextIndex = Math.max(this.nextIndex, part.index + 1);
        this.#openCalls.add(part.index);
        this.hasToolCalls ||= part.isProviderExecuted !== true;
        return;
      case "toolcall_end":
        this.#openCalls.delete(part.index);
        return;
      case "usage":
        this.hasUsage = true;
        return;
      case "finish":
        this.hasFinished = true;
        return;
      case "text_end":
      case "thinking_end":
      case "refusal_delta":
      case "refusal_end":
      case "native":
        this.openKind = undefined;
        return;
      case "start":
      case "ping":
      case "toolcall_delta":
        return;
      default:
        part satisfies never;
    }
  }
}

/** Same as `fetch`: the signal's own reason if that is an error. */
function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error
    ? reason
    : new DOMException("The request was aborted", "AbortError");
}
