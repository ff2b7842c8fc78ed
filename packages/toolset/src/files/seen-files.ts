/** Files that the model has read or written, by the transcript: it must not overwrite what it has not seen. */
import type { ChatMessage } from "@capstan/kernel";
import { z } from "zod";
import { FileError } from "./file-error.ts";
import { versionOf } from "./file-version.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Part of the details of a call that shows a file to the model, or leaves it as the model wrote it. */
export interface SeenFile {
  /** Hash of its real path, which clients must not see. */
  readonly file: string;
  readonly version: string;
}

export function seenAs(real: string, version: string): SeenFile {
  return { file: versionOf(Buffer.from(real)), version };
}

const seenFile = z.object({ seen: z.object({ file: z.string(), version: z.string() }) });
const tools: ReadonlySet<string> = new Set(["read", "write", "edit"]);

/** Version of the file as the model saw it last; undefined if it never did. */
function seenVersion(messages: readonly ChatMessage[], file: string): string | undefined {
  const found = messages.findLast((message) => seenIn(message)?.file === file);
  return found && seenIn(found)?.version;
}

/** The transcript may come from elsewhere. */
function seenIn(message: ChatMessage): SeenFile | undefined {
  if (message.role !== "tool" || message.isError || !tools.has(message.toolName)) return undefined;
  const parsed = seenFile.safeParse(message.details);
  return parsed.success ? parsed.data.seen : undefined;
}

/** A file as it is now. */
export interface CurrentFile {
  readonly seen: SeenFile;
  /** Undefined if it is not text. */
  readonly text: string | undefined;
}

/** Throws `FileError` `changed` or `not_read` if the model has not seen the file as it is. Without messages, nothing is known. */
export function mustBeSeen(
  messages: readonly ChatMessage[] | undefined,
  { seen: { file, version }, text }: CurrentFile,
  path: string,
): void {
  if (messages === undefined) return;
  const seen = seenVersion(messages, file);
  if (seen === version) return;
  if (seen === undefined) {
    const problem = `${path} exists, and you have not read it. Nothing was written: read it first.`;
    throw new FileError("not_read", problem);
  }
  const before = recentTexts.get(seen);
  const diff =
    before === undefined || text === undefined
      ? ""
      : ` What has changed:\n${cut(unifiedDiff(path, before, text))}`;
  const problem = `${path} was changed since you last read it, by the user or another program. Nothing was written: read it again.${diff}`;
  throw new FileError("changed", problem);
}

const maxDiffChars = 4_000;

function cut(diff: string): string {
  return diff.length > maxDiffChars ? `${diff.slice(0, maxDiffChars)}\n(more changes)` : diff;
}

/** Texts that this process has read lately, by their versions, to tell what has changed in a file. */
const recentTexts = new Map<string, string>();
const maxRecentTexts = 64;
const maxRecentChars = 200_000;

export function rememberText(version: string, text: string): void {
  if (text.length > maxRecentChars) return;
  recentTexts.delete(version);
  recentTexts.set(version, text);
  const [oldest] = recentTexts.keys();
  if (recentTexts.size > maxRecentTexts && oldest !== undefined) recentTexts.delete(oldest);
}
