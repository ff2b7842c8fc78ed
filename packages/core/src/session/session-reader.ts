/** Read access to a session: its log and state at one moment, a snapshot, the output of a tool. Store failures become a `SessionError`. */
import type { ChatMessage, ToolContent } from "@capstan/kernel";
import type { SessionFold, StoredEntry } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { PartOfLog } from "../following/log-pages.ts";
import type { ShownCalls } from "@capstan/log";
import { readAll, readPart, readWhole } from "../following/log-pages.ts";
import { invalid, toSessionError } from "../errors/session-error.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import { blobsOf, toSnapshot } from "./copies.ts";
import type { SessionHost } from "./session-host.ts";
import type { SessionInbox } from "./session-inbox.ts";
import type { SessionReading, SessionReadingPage, SessionState } from "./session-state.ts";
import { stateOf } from "./session-state.ts";
import type { SessionSnapshot } from "./snapshot.ts";

/** The last state, and what it follows from. */
interface KnownState {
  readonly fold: SessionFold;
  readonly version: number;
  readonly state: SessionState;
}

export class SessionReader {
  readonly #runtime: SessionRuntime;
  readonly #host: SessionHost;
  readonly #inbox: SessionInbox;
  readonly #shown: ShownCalls;
  #known: KnownState | undefined;

  constructor(runtime: SessionRuntime, host: SessionHost, inbox: SessionInbox, shown: ShownCalls) {
    this.#runtime = runtime;
    this.#host = host;
    this.#inbox = inbox;
    this.#shown = shown;
  }

  /** Agent of the session. Throws `unknown_agent`. */
  get agent(): Agent {
    return this.#host.agent(this.#inbox.fold.agent);
  }

  /** State of the session: one object until it changes. */
  get state(): SessionState {
    const { fold } = this.#inbox;
    const { feed } = this.#runtime.log;
    const { version } = feed;
    if (this.#known?.fold === fold && this.#known.version === version) return this.#known.state;
    const state = stateOf(fold, this.agent, feed.open);
    this.#known = { fold, version, state };
    this.#shown.note(state.pendingToolCalls);
    return state;
  }

  /** Reads the entries of other processes. */
  async refresh(): Promise<void> {
    if (this.#inbox.origin !== undefined) return;
    await this.#reading(async () => this.#runtime.log.catchUp());
  }

  /** Reads the messages that were left out, too. */
  readMessages(): Promise<readonly ChatMessage[]> {
    return this.#reading(async () => {
      await this.#runtime.log.complete();
      return this.#inbox.fold.transcript.list;
    });
  }

  readEntries(): Promise<readonly StoredEntry[]> {
    return this.#reading(() => readAll(this.#runtime.log));
  }

  snapshot(): Promise<SessionSnapshot> {
    const { id, log } = this.#runtime;
    return this.#reading(async () => {
      await this.#inbox.ensureCreated();
      const snapshot = toSnapshot(id, await readAll(log), this.agent);
      this.#shown.note(snapshot.pendingToolCalls);
      return { ...snapshot, ...(await blobsOf(this.#host, snapshot)) };
    });
  }

  read(): Promise<SessionReading> {
    const { log } = this.#runtime;
    return this.#reading(async () => {
      await this.#inbox.ensureCreated();
      await log.complete();
      return readWhole(log, (entries) => this.#readingOf(entries));
    });
  }

  readPage(part: PartOfLog): Promise<SessionReadingPage> {
    const { log } = this.#runtime;
    return this.#reading(async () => {
      await this.#inbox.ensureCreated();
      await log.complete();
      return readPart(log, part, (entries) => {
        const { fold } = log;
        const lastSeq = entries.at(-1)?.seq ?? Math.min(part.after, fold.seq);
        const messages = fold.transcript.between(part.after, lastSeq);
        const firstIndex = fold.transcript.lengthAt(part.after);
        const hasMore = lastSeq < fold.seq;
        return { ...this.#readingOf(entries), messages, firstIndex, lastSeq, hasMore };
      });
    });
  }

  #readingOf(entries: readonly StoredEntry[]): SessionReading {
    const { feed } = this.#runtime.log;
    const { type: _, ...live } = feed.liveSnapshot();
    return { entries, cursor: feed.cursor, state: this.state, live };
  }

  async readOutput(reference: string): Promise<ToolContent> {
    const { id, outputs } = this.#runtime;
    await this.#reading(async () => outputs.complete());
    const message = outputs.find(reference);
    const content = message && (await outputs.read(message));
    if (content === undefined) throw invalid(noOutput(id, reference, message !== undefined));
    return content;
  }

  async #reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (thrown) {
      throw toSessionError(this.#runtime.id, thrown);
    }
  }
}

function noOutput(sessionId: string, reference: string, isKnown: boolean): string {
  return isKnown
    ? `The store has lost the output "${reference}" of session ${sessionId}: only the part in its message is left`
    : `Session ${sessionId} has no output "${reference}": use the toolCallId of one of its tool messages`;
}
