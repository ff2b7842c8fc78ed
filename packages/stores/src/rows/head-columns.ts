/** Columns of a stored head: the whole head, and the fields used in queries. */
import type { SessionHead } from "@capstan/log";
import { toPlainText } from "../text/plain-text.ts";

export const headColumns = "head, status, agent, principal, seen, wake_at, updated_at, set_aside";

/** In the order of `headColumns`. */
export type HeadValues = [
  string,
  string,
  string,
  string | null,
  number,
  number | null,
  number,
  0 | 1,
];

export function toHeadValues(head: SessionHead): HeadValues {
  const { status, agent, principal, seen, wakeAt, updatedAt } = head;
  return [
    JSON.stringify(head),
    status,
    toPlainText(agent),
    principal === undefined ? null : toPlainText(principal),
    seen,
    wakeAt ?? null,
    updatedAt,
    head.setAside === undefined ? 0 : 1,
  ];
}

export function parseHead(text: string): SessionHead {
  // Written by `toHeadValues`.
  return JSON.parse(text) as SessionHead;
}
