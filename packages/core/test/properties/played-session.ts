/** A real session that operations are done to, and what it looks like from where it runs, from its log, and from another host. */
import { createHost, SessionError } from "@capstan/core";
import type { Answer, Host, Session, SessionSnapshot } from "@capstan/core";
import type { OpenCall, PendingCall } from "@capstan/kernel";
import { foldEntries, memoryRepository } from "@capstan/log";
import type { MemoryRepository, SessionFold } from "@capstan/log";
import type { Operation } from "./arbitrary-operations.ts";
import type { Surroundings } from "./surroundings.ts";

/** What became of an operation: how its turn ended, or what it gave; undefined while that is open. */
export type Outcome = Readonly<Record<string, unknown>> | undefined;

export class PlayedSession {
  readonly session: Session;
  readonly repository: MemoryRepository;
  readonly outcomes: Outcome[] = [];
  readonly #surroundings: Surroundings;
  readonly #host: Host;
  /** All calls that have waited, the last one first. */
  #heard: readonly PendingCall[];

  private constructor(
    surroundings: Surroundings,
    repository: MemoryRepository,
    host: Host,
    session: Session,
    heard: readonly PendingCall[] = [],
  ) {
    this.#surroundings = surroundings;
    this.repository = repository;
    this.#host = host;
    this.session = session;
    this.#heard = heard;
  }

  static create(surroundings: Surroundings): PlayedSession {
    const repository = memoryRepository({ now: surroundings.clock.now });
    const host = hostOn(surroundings, repository);
    const session = host.createSession({ agent: surroundings.agent.name, id: "s1" });
    return new PlayedSession(surroundings, repository, host, session);
  }

  /** The same, of which a snapshot was taken. Uses as many ids as decisions are made again after a move. */
  async looked(): Promise<PlayedSession> {
    await this.session.snapshot();
    for (const answer of this.fold().answers()) {
      if (toDecision(answer, "") !== undefined) this.#surroundings.newId();
    }
    return this;
  }

  /**
   * The same session from a snapshot, as JSON, in a store of its own. Calls that wait are asked again there, so what was decided
   * here is decided again.
   */
  async moved(): Promise<PlayedSession> {
    const state = JSON.parse(JSON.stringify(await this.session.snapshot())) as SessionSnapshot;
    const repository = memoryRepository({ now: this.#surroundings.clock.now });
    const host = hostOn(this.#surroundings, repository);
    const session = await host.restore(state, { trust: "own" });
    const asked = new Map(session.pendingToolCalls.map((call) => [call.toolCallId, call]));
    const heard = this.#heard.map((call) => asked.get(call.toolCallId) ?? call);
    for (const answer of this.fold().answers()) {
      const again = toDecision(answer, asked.get(answer.toolCallId)?.hash ?? "");
      if (again !== undefined) await session.send([again]).response;
    }
    return new PlayedSession(this.#surroundings, repository, host, session, heard);
  }

  /** A fork at this message, in the same store; undefined where it is refused. */
  async forked(at: string | undefined): Promise<PlayedSession | undefined> {
    try {
      const fork = await this.session.fork(at);
      return new PlayedSession(this.#surroundings, this.repository, this.#host, fork);
    } catch (thrown) {
      if (codeOf(thrown) === "invalid_input") return undefined;
      throw thrown;
    }
  }

  /** Begins it, and lets happen what needs no time, or no more than it takes. */
  async play(operation: Operation): Promise<void> {
    if (operation.do === "pass") await this.#surroundings.clock.advance(operation.ms);
    const place = this.outcomes.push(undefined) - 1;
    const work = this.#begin(operation);
    const note = (outcome: Outcome): void => {
      this.outcomes[place] = outcome;
    };
    work.then(note, (thrown: unknown) => note({ failed: codeOf(thrown) }));
    await this.#surroundings.clock.advance(0);
    this.#hear();
  }

  /** Until nothing happens by itself. Calls may wait. */
  async rest(): Promise<void> {
    await this.#surroundings.clock.runUntil(this.session.waitForIdle());
    await this.#surroundings.clock.advance(0);
    this.#hear();
  }

  /** As the session says it now: what it gives is not to change afterwards. */
  live(): object {
    const { session } = this;
    const { streamingMessage: _, ...state } = session.state;
    const { title, status, messages, queued, usage } = session;
    const pendingToolCalls = session.pendingToolCalls.map(withoutHash);
    // Output that tools have shown so far is live: no entry has it.
    const runningToolCalls = state.runningToolCalls.map(({ output: _output, ...call }) => call);
    const said = { title, status, messages, pendingToolCalls, runningToolCalls, queued, usage };
    return { ...state, ...said };
  }

  /** As it follows from the entries, from the first on. */
  stored(): object {
    const { agent } = this.#surroundings;
    const fold = this.fold();
    const { config, queues, turn, title, status, usage } = fold;
    const tools = config.tools ?? agent.tools;
    const { messages } = fold.transcript;
    return {
      status,
      model: config.model ?? "scripted",
      thinkingLevel: config.thinkingLevel,
      tools: tools.map((tool) => (typeof tool === "string" ? tool : tool.name)),
      instructions: config.instructions ?? fold.prompt?.instructions,
      messages,
      pendingToolCalls: fold.pending.map(withoutHash),
      runningToolCalls: fold.running,
      queues: {
        steering: queues.items.filter(({ queue }) => queue === "steering"),
        followUp: queues.items.filter(({ queue }) => queue === "followUp"),
      },
      usage: usage.total,
      totalCost: undefined,
      error: turn?.end?.error,
      title,
      queued: queues.items,
    };
  }

  fold(): SessionFold {
    return foldEntries(this.repository.read(this.session.id).entries);
  }

  get isStored(): boolean {
    return this.repository.list().sessions.some(({ id }) => id === this.session.id);
  }

  /** As a host that opens it says it. */
  async elsewhere(): Promise<object> {
    const host = hostOn(this.#surroundings, this.repository, "other");
    const session = await host.open(this.session.id);
    const other = new PlayedSession(this.#surroundings, this.repository, host, session);
    const seen = other.live();
    await host.close();
    return seen;
  }

  async close(): Promise<void> {
    await this.#host.close();
  }

  async #begin(operation: Operation): Promise<Outcome> {
    const { session } = this;
    switch (operation.do) {
      case "send":
        return endOf(session.send(operation.text, operation.options));
      case "continue":
        return endOf(session.continue());
      case "steer":
      case "followUp":
        return { ...(await (await session[operation.do](operation.text)).outcome) };
      case "answer":
        return this.#answer(operation);
      case "configure":
        return { done: await session.configure(operation.settings) };
      case "clearQueue":
        return { ids: await session.clearQueue(operation.queue) };
      case "loadHistory":
        return { done: await session.loadHistory(this.#surroundings.past()) };
      case "rewind": {
        const { messages } = session;
        const to = messages[operation.at % messages.length]?.id ?? "none";
        return { done: await session.rewind(to, { before: operation.before }) };
      }
      case "compact":
        return { ...(await session.compact()) };
      case "abort":
      case "clearHistory":
      case "reset":
        return { done: await session[operation.do]() };
      case "pass":
        return { done: await this.#host.claimDue() };
      default:
        return operation satisfies never;
    }
  }

  async #answer({ which, how }: Operation & { readonly do: "answer" }): Promise<Outcome> {
    const call = this.#heard[which];
    if (call === undefined) return {};
    const { toolCallId, kind, hash } = call;
    if (how === "forged") {
      return endOf(this.session.send([{ toolCallId, hash: "forged", approved: true }]));
    }
    const isRight = how === "right";
    return endOf(
      this.session.send([
        kind === "execution"
          ? { toolCallId, isError: !isRight, output: "answered" }
          : { toolCallId, hash, approved: isRight },
      ]),
    );
  }

  #hear(): void {
    const known = new Set(this.#heard.map(({ hash }) => hash));
    const fresh = this.session.pendingToolCalls.filter(({ hash }) => !known.has(hash));
    this.#heard = [...fresh.toReversed(), ...this.#heard];
  }
}

/** A copy asks under another hash. */
function withoutHash(pending: PendingCall): object {
  const { hash: _, ...call } = pending;
  return call;
}

function toDecision({ toolCallId, state }: OpenCall, hash: string): Answer | undefined {
  if (state !== "approved" && state !== "denied") return undefined;
  return { toolCallId, hash, approved: state === "approved" };
}

/** It looks for nothing by itself: what it notices, and when, is up to the test. */
function hostOn(
  { agent, clock, newId }: Surroundings,
  repository: MemoryRepository,
  owner = "host",
): Host {
  return createHost({ agents: [agent], repository, clock, newId, owner, pollMs: Infinity });
}

async function endOf(turn: ReturnType<Session["send"]>): Promise<Outcome> {
  const { status, finishReason, text, usage, messages, error } = await turn.response;
  return { id: turn.id, status, finishReason, text, usage, messages, code: error?.code };
}

function codeOf(thrown: unknown): string {
  return thrown instanceof SessionError ? thrown.code : String(thrown);
}
