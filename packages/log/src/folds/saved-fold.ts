/** State of a fold as a checkpoint has it. */
import type { EntryOf } from "../entries/entries.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { SavedChildren } from "./child-fold.ts";
import type { SavedCompactions } from "./compaction-fold.ts";
import type { SavedContext } from "./context-fold.ts";
import type { ShownOutput } from "./output-fold.ts";
import type { PostedFold, SavedPosts } from "./posted-fold.ts";
import type { SessionFold } from "./session-fold.ts";
import type { SavedPrefix } from "./prefix-fold.ts";
import type { SavedQueues } from "./queue-fold.ts";
import type { SavedTasks } from "./task-fold.ts";
import type { SavedTranscript } from "./transcript-fold.ts";
import type { SavedTurn } from "./turn-fold.ts";
import type { SavedUsage } from "./usage-fold.ts";

/** @internal State of the parts of a session's fold. */
interface SavedParts {
  readonly transcript: SavedTranscript;
  readonly queues: SavedQueues;
  readonly usage: SavedUsage;
  readonly context: SavedContext;
  readonly compactions: SavedCompactions;
  readonly outputs: readonly ShownOutput[];
  readonly children: SavedChildren;
  readonly tasks: SavedTasks;
  readonly prefix: SavedPrefix;
  readonly posts: SavedPosts;
}

/** Version of `SavedFold`. A program that expects another one reads the whole log. Raise it whenever a fold keeps other state. */
export const savedFoldVersion = 2;

/** @internal State of a session's fold. */
export interface SavedFold extends SavedParts, Omit<Checkpoint, "cursor"> {
  readonly lastPostedSeq: number;
  readonly lastEffectSeq: number;
  readonly created: EntryOf<"created"> | undefined;
  readonly handoff: EntryOf<"handed_off"> | undefined;
  readonly prompt: EntryOf<"prompt"> | undefined;
  readonly title: string | undefined;
  readonly turn: SavedTurn | undefined;
}

type Parts = Pick<SessionFold, keyof SavedParts & keyof SessionFold>;

/** State of the parts, without the content of messages that a summary replaces. */
export function saveParts(fold: Parts, posted: PostedFold): SavedParts {
  const { transcript, context } = fold;
  const { summary } = context;
  const shownFrom = summary === undefined ? 0 : transcript.indexAfter(summary.through);
  return {
    // The last reply stays: it may be reported again.
    transcript: transcript.save(
      Math.max(transcript.leftOut, Math.min(shownFrom, transcript.lastReplyIndex)),
    ),
    queues: fold.queues.save(),
    usage: fold.usage.save(),
    context: context.save(),
    compactions: fold.compactions.save(),
    outputs: fold.outputs.save(),
    children: fold.children.save(),
    tasks: fold.tasks.save(),
    prefix: fold.prefix.save(),
    posts: posted.save(),
  };
}

/** Takes over the state of the parts. They have no state of their own yet. */
export function loadParts(saved: SavedParts, fold: Parts, posted: PostedFold): void {
  fold.transcript.load(saved.transcript);
  fold.queues.load(saved.queues);
  fold.usage.load(saved.usage);
  fold.context.load(saved.context);
  fold.compactions.load(saved.compactions);
  fold.outputs.load(saved.outputs);
  fold.children.load(saved.children);
  fold.tasks.load(saved.tasks);
  fold.prefix.load(saved.prefix);
  posted.load(saved.posts);
}
