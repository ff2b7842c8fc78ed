/** `capstan sessions repair`: copies the intact part of a damaged session. The damaged one stays unchanged. */
import type { LostEntry, SessionRepository } from "@capstan/log";
import { LogError, newId, repairSession } from "@capstan/log";
import type { Io } from "../process/io.ts";
import { createNotes } from "../print/notes.ts";
import { failed, wrongUse } from "../errors/command-error.ts";
import { findById } from "../session/stored-sessions.ts";

/** Prints the id of the copy. Throws a `CommandError` if the session is not damaged, or if nothing intact is left. */
export async function repair(io: Io, store: SessionRepository, written: string): Promise<void> {
  const { id } = await findById(store, written);
  const copy = { id: newId(), incarnation: newId(), now: io.clock.now() };
  const repaired = await repairSession(store, id, copy).catch((thrown: unknown) => {
    throw thrown instanceof LogError ? failed(`${thrown.message}.`, thrown) : thrown;
  });
  if (repaired === undefined) throw wrongUse(`Session ${id} is not damaged.`);
  const note = createNotes(io);
  const { lost, keptThrough, left } = repaired;
  note(
    `kept entries 1 to ${keptThrough}; ${lostIn(lost)}, ${left} readable entries are not in the copy`,
  );
  note(`the damaged session is unchanged: capstan sessions show ${id}`);
  note(`to continue with the copy: capstan --resume ${copy.id}`);
  io.stdout.write(`${copy.id}\n`);
}

/** Tells the user which entries are missing from the output. */
export function noteLost(
  io: Io,
  { id, lost }: { readonly id: string; readonly lost: readonly LostEntry[] },
): void {
  const [first] = lost;
  if (first === undefined) return;
  const note = createNotes(io);
  note(`the session is damaged: ${lostIn(lost)}, showing the rest. ${first.reason}`);
  note(`to make a copy that can continue: capstan sessions repair ${id}`);
}

function lostIn(lost: readonly LostEntry[]): string {
  const seqs = lost.slice(0, maxShown).map(({ seq }) => seq);
  const more = lost.length > maxShown ? ` and ${lost.length - maxShown} more` : "";
  return `lost: ${seqs.join(", ")}${more}`;
}

const maxShown = 5;
