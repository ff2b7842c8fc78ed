/** Limits how much a principal's sessions store, based on the sessions this process has used. */
import type { Session } from "@capstan/core";
import type { ChatMessage, ToolContent, UserPart } from "@capstan/kernel";
import { ServerError } from "./server-error.ts";

export interface StorageLimits {
  readonly maxStoredCharsPerSession: number;
  readonly maxStoredCharsPerPrincipal: number;
}

interface Held {
  readonly principal: string;
  /** Undefined until the session is stored. */
  incarnation: string | undefined;
  /** Number of messages counted. */
  messages: number;
  /** Characters of all messages it ever had: a cleared history stays in the log. */
  said: number;
  queued: number;
}

/**
 * Counts the characters of messages and queued items whenever something is sent to a session. So it covers what clients and models wrote in the
 * sessions used since the process started, but neither the surrounding entries nor the files of a store.
 */
export class StorageBudget {
  readonly #limits: StorageLimits;
  readonly #held = new Map<string, Held>();
  readonly #inAll = new Map<string, number>();

  constructor(limits: StorageLimits) {
    this.#limits = limits;
  }

  /** Fails with `storage_full` if no more may be sent to this session, or by this principal. */
  admit(principal: string, session?: Session): void {
    const { maxStoredCharsPerSession, maxStoredCharsPerPrincipal } = this.#limits;
    if (session !== undefined && this.count(principal, session) > maxStoredCharsPerSession) {
      throw full("This session has");
    }
    if ((this.#inAll.get(principal) ?? 0) > maxStoredCharsPerPrincipal) {
      throw full("Your sessions have");
    }
  }

  /** Counts what was added to the session since the last call. */
  count(principal: string, { id, incarnation, messages, queued }: Session): number {
    if (this.#isOfAnother(id, incarnation)) this.forget(id);
    const held = this.#held.get(id) ?? { principal, incarnation, messages: 0, said: 0, queued: 0 };
    held.incarnation ??= incarnation;
    this.#held.set(id, held);
    const before = held.said + held.queued;
    const isReplaced = messages.length < held.messages;
    for (const message of isReplaced ? messages : messages.slice(held.messages)) {
      held.said += charsOf(message);
    }
    held.messages = messages.length;
    held.queued = queued.reduce((sum, { message }) => sum + charsOf(message), 0);
    const after = held.said + held.queued;
    this.#add(principal, after - before);
    return after;
  }

  /** Must be called when the session is deleted. */
  forget(sessionId: string): void {
    const held = this.#held.get(sessionId);
    if (held === undefined) return;
    this.#held.delete(sessionId);
    this.#add(held.principal, -(held.said + held.queued));
  }

  /** Whether another process has deleted the session that was counted, and the id is another session's now. */
  #isOfAnother(id: string, incarnation: string | undefined): boolean {
    const known = this.#held.get(id)?.incarnation;
    return known !== undefined && incarnation !== undefined && known !== incarnation;
  }

  #add(principal: string, chars: number): void {
    const sum = (this.#inAll.get(principal) ?? 0) + chars;
    if (sum > 0) this.#inAll.set(principal, sum);
    else this.#inAll.delete(principal);
  }
}

function charsOf(message: ChatMessage): number {
  switch (message.role) {
    case "assistant":
      return message.content.reduce((sum, part) => sum + charsOfReply(part), 0);
    case "custom":
      return 0;
    default:
      return charsOfContent(message.content);
  }
}

function charsOfContent(content: ToolContent | readonly UserPart[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text : sourceOf(part)).length,
    0,
  );
}

function sourceOf(part: Exclude<UserPart, { readonly type: "text" }>): string {
  return "url" in part ? part.url : part.data;
}

function charsOfReply(
  part: Extract<ChatMessage, { role: "assistant" }>["content"][number],
): number {
  if (part.type === "thinking") return part.thinking.length;
  return "text" in part ? part.text.length : 0;
}

function full(what: string): ServerError {
  const message = `${what} reached the storage limit: delete unused sessions, and continue in a new one`;
  return new ServerError("storage_full", message);
}
