/** `capstan sessions export`: writes a whole session as JSON lines or Markdown. */
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SessionRepository } from "@capstan/log";
import { exportEntries, exportSession } from "@capstan/log";
import type { SessionsAction } from "../command-line/request.ts";
import type { Io } from "../process/io.ts";
import { toMarkdown } from "../print/markdown.ts";
import { createNotes } from "../print/notes.ts";
import { failed, reasonOf } from "../errors/command-error.ts";
import { factsOf, promptOf, titleOf } from "../session/session-facts.ts";
import type { ReadableSession } from "../session/stored-sessions.ts";
import { findById, readReadable } from "../session/stored-sessions.ts";
import { toHeader } from "./session-header.ts";
import { noteLost } from "./sessions-repair.ts";

export async function exportTo(
  io: Io,
  store: SessionRepository,
  { id, format, output }: Extract<SessionsAction, { readonly verb: "export" }>,
): Promise<void> {
  const stored = await readReadable(store, await findById(store, id));
  noteLost(io, stored);
  const text = format === "markdown" ? markdownOf(stored) : linesOf(io, store, stored);
  if (output === undefined) {
    for await (const piece of text) {
      if (io.signal.aborted) return;
      io.stdout.write(piece);
    }
    return;
  }
  const file = resolve(io.cwd, output);
  try {
    // Only the user may read the conversation.
    await pipeline(Readable.from(text), createWriteStream(file, { mode: 0o600 }), {
      signal: io.signal,
    });
  } catch (cause) {
    throw failed(`Cannot write the session to ${file}: ${reasonOf(cause)}.`, cause);
  }
  createNotes(io)(`session ${stored.id} exported to ${file}`);
}

function markdownOf(stored: ReadableSession): readonly string[] {
  const { messages } = stored.fold.transcript;
  const [title, facts, instructions] = [titleOf(stored), factsOf(stored), promptOf(stored)];
  return [toMarkdown({ title, facts, instructions }, messages)];
}

async function* linesOf(
  io: Io,
  store: SessionRepository,
  { id, listed, fold, entries, lost }: ReadableSession,
): AsyncGenerator<string> {
  const { title } = fold;
  const folder = listed.head.principal;
  yield `${toHeader({ id, title, folder, exportedAt: io.clock.now() })}\n`;
  const lines = lost.length > 0 ? exportEntries(store, id, entries) : exportSession(store, id);
  for await (const line of lines) yield `${line}\n`;
}
