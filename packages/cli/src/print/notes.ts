/** Messages of the command itself: lines on stderr, dim on a terminal. */
import type { Io } from "../process/io.ts";
import { toDim, toOneLine } from "./terminal-text.ts";

export type Note = (text: string) => void;

export function createNotes({ stderr, env }: Pick<Io, "stderr" | "env">): Note {
  return (text) => stderr.write(`${toDim(toOneLine(`capstan: ${text}`), stderr, env)}\n`);
}
