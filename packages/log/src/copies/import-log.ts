/** Log of a session that begins with another session's log: an import, which trusts nothing, or a restore of one's own session. */
import { hashJson } from "@capstan/kernel";
import type { JsonValue, OpenCall, PendingCall } from "@capstan/kernel";
import { copyLog } from "./copy-log.ts";
import type { Child } from "../folds/child-state.ts";
import type { NewEntry, PostedBody, StoredEntry } from "../entries/entries.ts";
import { entryVersion } from "../entries/entries.ts";
import { foldEntries } from "../folds/fold-entries.ts";
import type { ImportedMessages } from "./imported-messages.ts";
import { importMessages } from "./imported-messages.ts";
import { LogError } from "../entries/log-error.ts";
import type { SessionFold } from "../folds/session-fold.ts";
import { titleOf } from "../folds/title.ts";

/** Owner of an imported session. The imported log cannot influence it. */
export interface ImportOrigin {
  readonly agent: string;
  readonly principal?: string;
  readonly metadata?: JsonValue;
  /** Application context. */
  readonly app?: JsonValue;
}

/** Description of an import: where the messages come from, and the blobs that exist. */
export interface LogImport {
  readonly origin: ImportOrigin;
  /** Random, never taken from the log. */
  readonly incarnation: string;
  readonly now: number;
  /** Blobs that came with the log. */
  readonly blobs: Iterable<string>;
}

/** Entries of an imported session, and the open calls that the import closed. */
export interface ImportedLog extends Pick<ImportedMessages, "closedCalls"> {
  readonly entries: readonly NewEntry[];
}

/** Maximum length of a title that is kept. */
const maxTitleChars = 200;

/**
 * Converts the log of a session from elsewhere to that of a new session. Keeps the messages and drops every right:
 * approvals, answers, started or pending calls, queued messages, configuration, summary, principal, application
 * context and instructions of the log do not count, and calls without a result are closed. Fails with a
 * `LogError`.
 */
export function importLog(stored: readonly StoredEntry[], options: LogImport): ImportedLog {
  const { origin, incarnation, now: at } = options;
  const blobs = new Set(options.blobs);
  const fold = foldForeign(stored);
  const { messages, closedCalls } = importMessages(
    fold.transcript.messages,
    openCallsOf(fold),
    (blob) => blobs.has(blob),
  );
  const title = fold.title ?? titleOf(messages);
  const created: NewEntry = {
    v: entryVersion,
    type: "created",
    id: incarnation,
    at,
    incarnation,
    agent: origin.agent,
    ...(origin.principal !== undefined && { principal: origin.principal }),
    ...(typeof title === "string" && { title: title.slice(0, maxTitleChars) }),
    ...(origin.metadata !== undefined && { metadata: origin.metadata }),
    ...(origin.app !== undefined && { app: origin.app }),
  };
  const loaded: NewEntry = {
    v: entryVersion,
    type: "history_loaded",
    id: `${incarnation}-2`,
    at,
    messages,
  };
  return { entries: messages.length === 0 ? [created] : [created, loaded], closedCalls };
}

/** Calls of the last step, if their results are not all in the transcript yet. */
function openCallsOf({ transcript: { step } }: SessionFold): readonly OpenCall[] {
  return step === undefined || step.isSettled ? [] : step.toOpen();
}

/** Identity and time of a restored session. */
export interface LogRestore {
  readonly incarnation: string;
  readonly now: number;
}

/** Result of a call that had started in the original session. */
const startedElsewhere =
  "The outcome is unknown: this call was started before the session was restored from a copy. Check before you repeat it.";

/** Result of a call whose child session was waiting for an answer. */
const childElsewhere =
  "This call was given up: its child session did not move when the session was restored from a copy.";

/**
 * Converts the whole log of one's own session that moves to another store: pending calls, queues and configuration
 * stay. Decisions and starts from elsewhere do not count
 * here: pending calls are asked again under a new hash, unless they have their result, and calls that had started
 * are closed.
 */
export function restoreLog(
  stored: readonly StoredEntry[],
  { incarnation, now }: LogRestore,
): readonly NewEntry[] {
  const fold = foldForeign(stored);
  const entries = copyLog(stored, incarnation);
  const { turn } = fold;
  const { step } = fold.transcript;
  const envelope = (): Pick<NewEntry, "v" | "id" | "at"> => ({
    v: entryVersion,
    id: `0~${entries.length + 1}`,
    at: now,
  });
  for (const child of fold.children.all) {
    if (child.isOpenInBackground && child.isCallOver)
      entries.push({ ...envelope(), ...lostReport(child) });
  }
  if (turn === undefined || step === undefined || step.isSettled) return entries;
  const position = { turnId: turn.turnId, step: step.step };
  const result = { isError: true, output: startedElsewhere } as const;
  for (const { toolCallId, toolName } of step.started()) {
    entries.push({ ...envelope(), type: "tool_result", ...position, toolCallId, toolName, result });
  }
  for (const { entry, questions } of step.suspended()) {
    const { toolCallId } = entry;
    const asked = questions.map(({ pending }) => pending);
    if (asked.some(({ via }) => via !== undefined)) {
      const toolName = step.nameOf(toolCallId);
      const closed = { isError: true, output: childElsewhere };
      entries.push({
        ...envelope(),
        type: "tool_result",
        ...position,
        toolCallId,
        toolName,
        result: closed,
      });
    } else {
      const pending = asked.map((call) => askedAgain(call, incarnation));
      entries.push({ ...entry, ...envelope(), ...position, pending });
    }
  }
  const pending = step.withoutResult().map((call) => askedAgain(call, incarnation));
  if (pending.length > 0) entries.push({ ...envelope(), type: "pending", ...position, pending });
  return entries;
}

/** Report in the name of a child that cannot report to a copy of its parent. */
function lostReport({ toolCallId, childId, childSeq, agent }: Child): PostedBody {
  const output = `The agent "${agent}" did not move when the session was restored from a copy. Start it again if its answer is still needed.`;
  const report = { type: "ended", result: { isError: true, output }, usage: {} } as const;
  return { type: "child_reported", toolCallId, childId, childSeq: childSeq + 1, report };
}

function askedAgain(call: PendingCall, incarnation: string): PendingCall {
  return { ...call, hash: hashJson([call.hash, incarnation]) };
}

/** Folding a log from outside fails in one way, whatever its contents. */
function foldForeign(stored: readonly StoredEntry[]): SessionFold {
  try {
    const fold = foldEntries(stored);
    if (fold.created !== undefined) return fold;
  } catch (cause) {
    if (cause instanceof LogError) throw cause;
    throw unreadable("its entries are inconsistent", cause);
  }
  throw unreadable('the first entry of a session must be of the type "created"');
}

function unreadable(why: string, cause?: unknown): LogError {
  const message = `The log cannot be read: ${why}`;
  return new LogError("corrupt_entry", { seq: 1, id: "" }, message, { cause });
}
