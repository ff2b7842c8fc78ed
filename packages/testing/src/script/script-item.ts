/** What a script is made of, and the state of a reply while it is being played. */
import type { ProviderPart, ProviderRequest } from "@capstan/kernel";

/** One piece of a reply: it yields parts, or makes the stream fail, wait or end. */
export interface Fragment {
  /** How `assertComplete` names it. */
  readonly label: string;
  play(reply: ReplyUnderWay): Iterable<ProviderPart> | AsyncIterable<ProviderPart>;
}

/** What answers one provider call: a fragment, several in order, or a function that looks at the request first. */
export type ScriptItem =
  | Fragment
  | readonly ScriptItem[]
  | ((request: ProviderRequest) => ScriptItem | Promise<ScriptItem>);

export class ReplyUnderWay {
  readonly request: ProviderRequest;
  /** Nothing more is played: the stream was cut off, or its reader left. */
  isOver = false;
  hasFinished = false;
  hasUsage = false;
  hasToolCalls = false;
  /** The kind of the part that a delta of the same kind would go on with. */
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

  /** The reader wants no more: whatever is waited for ends. */
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

  /** Keeps the state in step with a part that is about to be yielded. */
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

/** As `fetch` does it: the signal's own reason where that is an error. */
function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error
    ? reason
    : new DOMException("The request was aborted", "AbortError");
}
