/** Progress of child sessions for a page: one data part for each call that a child works on, replaced in place. */
import type { ChildStep, JsonValue } from "@capstan/kernel";
import type { ChangedCall } from "../events/child-progress.ts";
import { ChildProgress } from "../events/child-progress.ts";
import type { SessionEvent } from "../events/session-event.ts";
import type { Chunk } from "./chunks.ts";

/** A page gets the whole part again and again. */
const everyMs = 250;

interface ShownChild {
  changed: ChangedCall;
  outcome?: string;
  /** Whether the page has the last state. */
  isShown: boolean;
  shownAt: number;
}

/** Options of `ChildChunks`. */
export interface ChildChunksOptions {
  /** The page's session. */
  readonly sessionId: string;
  /** Its children at work. */
  readonly children: readonly ChildStep[];
  /** In milliseconds. */
  now(): number;
}

/** Chunks that are due, and the callback for when they have been written. */
export interface DueChunks {
  readonly chunks: readonly Chunk[];
  onShown(): void;
}

/** Takes the events of a tree. Text is shown soon, and everything else at once. */
export class ChildChunks {
  readonly #options: ChildChunksOptions;
  readonly #progress = new ChildProgress();
  readonly #shown = new Map<string, ShownChild>();

  constructor(options: ChildChunksOptions) {
    this.#options = options;
    for (const child of options.children) {
      this.#note(this.#progress.start(options.sessionId, child), false);
    }
  }

  take(event: SessionEvent): void {
    const isRoot = event.sessionId === this.#options.sessionId;
    if (isRoot && event.type === "child_ended") {
      const child = this.#shown.get(event.toolCallId);
      if (child === undefined) return;
      child.outcome = event.outcome;
      return this.#note(child.changed, true);
    }
    if (isRoot && event.type !== "child_started") return;
    // A page may wait for text, and sees at once what a child begins and ends.
    this.#note(this.#progress.apply(event), event.type !== "text_delta");
  }

  /** Milliseconds until something is due; undefined if the page has everything. */
  get dueInMs(): number | undefined {
    const waiting = [...this.#shown.values()].filter(({ isShown }) => !isShown);
    if (waiting.length === 0) return undefined;
    const shownAt = Math.min(...waiting.map((child) => child.shownAt));
    return Math.max(0, shownAt + everyMs - this.#options.now());
  }

  /** Returns the chunks that are due. `onShown` must be called if they were written. */
  due(): DueChunks {
    const now = this.#options.now();
    return this.#unshown(({ shownAt }) => now - shownAt >= everyMs);
  }

  /** Likewise, everything that the page does not have: for the end of a reply. */
  rest(): DueChunks {
    return this.#unshown(() => true);
  }

  #unshown(isDue: (child: ShownChild) => boolean): DueChunks {
    const due = [...this.#shown.values()].filter((child) => !child.isShown && isDue(child));
    const shownAt = this.#options.now();
    return {
      chunks: due.map(toChunk),
      onShown() {
        for (const child of due) Object.assign(child, { isShown: true, shownAt });
      },
    };
  }

  #note(changed: ChangedCall | undefined, isAtOnce: boolean): void {
    if (changed === undefined) return;
    const known = this.#shown.get(changed.toolCallId);
    const child = known ?? { changed, isShown: false, shownAt: -Infinity };
    Object.assign(child, { changed, isShown: false }, isAtOnce && { shownAt: -Infinity });
    this.#shown.set(changed.toolCallId, child);
  }
}

function toChunk({ changed: { toolCallId, child }, outcome = "running" }: ShownChild): Chunk {
  // Everything shown of a child is JSON.
  const data = { toolCallId, ...child, outcome } as unknown as JsonValue;
  return { type: "data-child", id: toolCallId, data };
}
