/** Turns what is sent into turns, with a handle for each. */
import type { PendingCall } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type {
  Answer,
  Cursor,
  ExecuteOptions,
  ExecuteRequest,
  QueuedInput,
  ShownCalls,
  UserInput,
} from "@capstan/log";
import { chainMark, compareCursors, formatCursor, newId } from "@capstan/log";
import type { TurnOwner } from "./client-turn.ts";
import { ClientTurn, rootOf } from "./client-turn.ts";
import { toDeclaration } from "../lent-tools/lend-tool.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** Input that starts a turn. */
export type TurnInput = QueuedInput | readonly UserInput[];

/** Start of a new session. */
export interface SessionStart {
  /** Name of an agent of the server. Default: its first. */
  readonly agent?: string;
  /** Earlier messages of the user. */
  readonly messages?: readonly UserInput[];
}

export class TurnHandles implements TurnOwner {
  readonly #runtime: SessionRuntime;
  readonly #start: SessionStart;
  readonly #shown: ShownCalls;
  /** Sends that are not acknowledged yet. */
  readonly #sending = new Map<ClientTurn, Promise<void>>();

  /** `shown` learns which pending calls the readers of the handles get. */
  constructor(runtime: SessionRuntime, start: SessionStart, shown: ShownCalls) {
    this.#runtime = runtime;
    this.#start = start;
    this.#shown = shown;
  }

  get sessionId(): string {
    return this.#runtime.sessionId;
  }

  /** Resolves once everything that was sent is durable, or was refused. */
  async sent(): Promise<void> {
    await Promise.all(this.#sending.values());
  }

  sendInput(input: TurnInput, id: string, options: ExecuteOptions): ClientTurn {
    const known = this.#runtime.turns.find((turn) => turn.id === id);
    if (known !== undefined) return known;
    const turn = this.#newTurn(id);
    return this.#track(turn, this.#deliver(turn, input, options));
  }

  /** `toAnswers` is called once the pending calls are known. */
  sendAnswers(toAnswers: () => Promise<readonly Answer[]>): ClientTurn {
    const { lastTurnId } = this.#runtime.mirror;
    const turn = this.#newTurn(lastTurnId === undefined ? newId() : nextIdOf(lastTurnId));
    return this.#track(turn, this.#deliverAnswers(turn, toAnswers));
  }

  /** The running turn, or one whose calls wait for this client, from the beginning of its chain. */
  async current(): Promise<ClientTurn | undefined> {
    await this.#runtime.refresh();
    const { mirror, calls, turns } = this.#runtime;
    const { status, pendingToolCalls } = mirror.state;
    const isOurs = calls.leftToOthers(pendingToolCalls) === undefined;
    const isOpen = status === "running" || (status === "awaiting_tool_execution" && isOurs);
    const root = mirror.lastTurnId === undefined ? undefined : rootOf(mirror.lastTurnId);
    if (!isOpen || root === undefined) return undefined;
    const known = turns.find((turn) => turn.root === root);
    if (known !== undefined) return known;
    const turn = this.#newTurn(root);
    this.#replay(turn, root);
    this.#runtime.hold(turn);
    this.#runtime.runCalls(pendingToolCalls);
    return turn;
  }

  abortSoon(turn: ClientTurn, reason: string | undefined): void {
    const abort = async (): Promise<void> => {
      await this.#sending.get(turn);
      const { root: turnId } = turn;
      const body = { turnId, ...(reason !== undefined && { reason }) };
      if (!turn.isOver) await this.#runtime.post("cancel", body);
    };
    // If the turn is unreachable, its response reports that.
    background(abort(), () => {});
  }

  leftToOthers(
    pending: readonly PendingCall[],
    turnId: string,
  ): readonly PendingCall[] | undefined {
    const { calls, mirror } = this.#runtime;
    // A turn that another one has continued waits no more.
    return turnId === mirror.lastTurnId ? calls.leftToOthers(pending) : undefined;
  }

  onTurnOver(turn: ClientTurn): void {
    this.#runtime.removeTurn(turn);
  }

  #newTurn(id: string): ClientTurn {
    const turn = new ClientTurn(id, this, this.#shown);
    this.#runtime.addTurn(turn);
    return turn;
  }

  #track(turn: ClientTurn, sending: Promise<void>): ClientTurn {
    const sent = sending
      .catch((thrown: unknown) => turn.fail(thrown))
      .finally(() => this.#sending.delete(turn));
    this.#sending.set(turn, sent);
    return turn;
  }

  async #deliver(turn: ClientTurn, input: TurnInput, options: ExecuteOptions): Promise<void> {
    const { connection, cursor, mirror } = await this.#known();
    const { ifPending = "refuse" } = options;
    // The message may belong to a turn that continues, whose earlier events are not its own.
    if (ifPending !== "refuse") await this.#runtime.refresh();
    const after = this.#afterReading();
    const isRepeat = mirror.startOf(turn.id) !== undefined;
    // Events may arrive before the response.
    turn.follow(turn.id, cursor);
    const response = await this.#runtime.heed(() =>
      connection.insist("POST", "/api/agent/execute", {
        body: this.#toBody(turn, input, options),
        // In case this id was sent before.
        headers: { "last-event-id": formatCursor(cursor) },
      }),
    );
    const turnId = response.headers.get("x-turn-id") ?? turn.id;
    if (!isRepeat && turnId === turn.id) this.#runtime.hold(turn, response);
    else {
      // It was sent before, perhaps by a page that was reloaded, or it settled pending calls. This response is not read.
      response.body?.cancel().catch(() => {});
      if (isRepeat || mirror.startOf(turnId) !== undefined) this.#replay(turn, turnId);
      else {
        // Some of its events may have arrived already.
        turn.follow(turnId, after);
        this.#runtime.stream.moveTo(cursor);
      }
      this.#runtime.hold(turn);
    }
    this.#runtime.onStored(response.headers.get("x-session-incarnation") ?? undefined);
  }

  async #deliverAnswers(
    turn: ClientTurn,
    toAnswers: () => Promise<readonly Answer[]>,
  ): Promise<void> {
    const { mirror } = await this.#known();
    const answers = await toAnswers();
    const ids = answers.map(({ toolCallId }) => toolCallId);
    if (!mirror.hasPending(ids)) await this.#runtime.refresh();
    const { lastTurnId: before } = mirror;
    const lastTurnId = before ?? turn.id;
    const { status: was } = mirror.state;
    const isAtRest = was !== "running" && was !== "awaiting_tool_execution";
    if (isAtRest && mirror.hasPending(ids)) {
      // The calls wait in children in the background: no turn of this session takes the answers.
      await this.#runtime.post("answers", { answers });
      return turn.leaveUnstarted(lastTurnId);
    }
    turn.follow(lastTurnId, this.#afterReading());
    turn.onAnswering(ids);
    await this.#postAnswers(turn, answers);
    await this.#runtime.refresh();
    const { status, pendingToolCalls } = mirror.state;
    this.#runtime.runCalls(pendingToolCalls);
    // The chain has continued, or is about to.
    if (turn.isOver || status === "running" || mirror.lastTurnId !== before) return;
    if (status !== "awaiting_tool_execution") this.#replay(turn, lastTurnId);
    else if (pendingToolCalls.length > 0) turn.leaveUnstarted(lastTurnId, pendingToolCalls);
  }

  /** If no stream is open, the response to the answers streams the events. */
  async #postAnswers(turn: ClientTurn, answers: readonly Answer[]): Promise<void> {
    const { connection, stream, id: sessionId } = this.#runtime;
    if (stream.isUsed) {
      await this.#runtime.post("answers", { answers });
      return this.#runtime.hold(turn);
    }
    const body: ExecuteRequest = { sessionId, input: answers, ...this.#runtime.meant };
    const response = await this.#runtime.heed(() =>
      connection.insist("POST", "/api/agent/execute", { body }),
    );
    this.#runtime.hold(turn, response);
  }

  async #known(): Promise<SessionRuntime> {
    await this.#runtime.ensureKnown();
    await this.#runtime.stream.opened();
    return this.#runtime;
  }

  /** Cursor after everything that is known of the session. */
  #afterReading(): Cursor {
    const { cursor, mirror } = this.#runtime;
    return later(cursor, { seq: mirror.lastSeq, n: Number.MAX_SAFE_INTEGER });
  }

  /** Gives the handle the events of a turn from its beginning. Other readers have seen them and skip them. */
  #replay(turn: ClientTurn, turnId: string): void {
    const start: Cursor = { seq: this.#runtime.mirror.startOf(turnId) ?? 0, n: 0 };
    turn.follow(turnId, start);
    this.#runtime.stream.moveTo(start);
  }

  #toBody(turn: ClientTurn, input: TurnInput, options: ExecuteOptions): ExecuteRequest {
    const { id: sessionId, exists, lent, meant } = this.#runtime;
    const { agent, messages } = this.#start;
    const tools = lent.tools.map(toDeclaration);
    const isNew = !exists;
    return {
      sessionId,
      id: turn.id,
      input,
      client: lent.client,
      options,
      ...meant,
      ...(isNew && agent !== undefined && { agent }),
      ...((isNew || tools.length > 0) && {
        context: { tools, ...(isNew && messages !== undefined && { messages }) },
      }),
    };
  }
}

function later(a: Cursor, b: Cursor): Cursor {
  return compareCursors(a, b) < 0 ? b : a;
}

/** Id of the turn that would continue this one. */
function nextIdOf(turnId: string): string {
  const [root, index = "1"] = turnId.split(chainMark);
  return `${root}${chainMark}${Number(index) + 1}`;
}
