/** Formats a session as one line. */
import type { ListedSession, SessionStatus } from "@capstan/log";
import { toOneLine } from "./terminal-text.ts";

const maxTitleLength = 60;

/** A turn marked as running may belong to a process that crashed. */
const statusWords: Readonly<Record<SessionStatus, string>> = {
  idle: "new",
  running: "unfinished",
  awaiting_tool_execution: "waiting",
  completed: "done",
  error: "failed",
};

export function sessionRow({ id, head }: ListedSession, now: number, hasFolder: boolean): string {
  const folder = hasFolder && head.principal !== undefined ? `  (${head.principal})` : "";
  const age = ageOf(now - head.updatedAt).padStart(8);
  const status = head.setAside === undefined ? statusWord(head.status) : "set aside";
  const reason = head.setAside === undefined ? "" : `  [${shorten(head.setAside.reason)}]`;
  return `${id}  ${age}  ${status.padEnd(10)}  ${titleOf(head.title)}${reason}${toOneLine(folder)}`;
}

export function statusWord(status: SessionStatus): string {
  return statusWords[status];
}

function titleOf(title = "(no messages yet)"): string {
  return shorten(title);
}

function shorten(text: string): string {
  const line = toOneLine(text);
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength)}…` : line;
}

function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
