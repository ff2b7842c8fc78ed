/** Calls of agents: each is a turn of a durable session, and every answer about it comes from the session's log. */
import type { Clock, PendingCall, Session } from "@capstan/core";
import { background } from "@capstan/kernel";
import type { AgentTool } from "./agent-tools.ts";
import { answerCalls, refuseCalls } from "./answer-calls.ts";
import type { WireResult } from "./call-results.ts";
import { toResult, toWaitingResult } from "./call-results.ts";
import type { HeldSession, HeldSessions } from "./held-sessions.ts";
import type { AskableModes, InputRequest } from "./pending-questions.ts";
import { toInputRequest } from "./pending-questions.ts";
import type { TellProgress } from "./progress-reports.ts";
import { reportProgress } from "./progress-reports.ts";
import { decodeState, encodeState, verifyState } from "./request-state.ts";
import { invalidParams, invalidState, ServingError } from "./serving-error.ts";
import type { McpIdentity, ServingLimits } from "./serving-options.ts";
import { newTurnId, toTask } from "./task-ids.ts";
import type { TurnRest } from "./turn-rest.ts";
import { restOf } from "./turn-rest.ts";

/** Caller of a tool, and the abilities of its client. */
export interface Caller {
  readonly identity: McpIdentity;
  readonly modes: AskableModes;
  readonly hasTasks: boolean;
  /** Aborts if the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  readonly tellProgress: TellProgress | undefined;
}

export interface CallParameters {
  readonly input: unknown;
  /** State of a call that is repeated with answers. */
  readonly requestState: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly sessions: HeldSessions;
  readonly clock: Clock;
  readonly limits: ServingLimits;
  readonly taskAfterMs: number;
  readonly hasDetails: boolean;
  readonly isRefusing: boolean;
  /** True while the server closes: turns are then left to other processes. */
  isClosing(): boolean;
}

interface Begun {
  readonly session: Session;
  readonly turnId: string;
  readonly problems: ReadonlyMap<string, string>;
  release(): Promise<void>;
}

export class AgentCalls {
  readonly #options: CallOptions;
  readonly #running = new Map<string, number>();
  readonly #aborting = new Set<Promise<unknown>>();

  constructor(options: CallOptions) {
    this.#options = options;
  }

  /** Resolves once the turns of cancelled calls are recorded as aborted. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#aborting);
  }

  async call(tool: AgentTool, parameters: CallParameters, caller: Caller): Promise<WireResult> {
    const { principal } = caller.identity;
    const { callsPerPrincipal: limit } = this.#options.limits;
    const running = this.#running.get(principal) ?? 0;
    if (running >= limit) {
      throw new ServingError("too_many", `The limit of ${limit} calls at the same time is reached`);
    }
    this.#running.set(principal, running + 1);
    try {
      const begun = await this.#begin(tool, parameters, caller);
      try {
        return await this.#finish(begun, tool, caller);
      } finally {
        await begun.release();
      }
    } finally {
      const left = (this.#running.get(principal) ?? 1) - 1;
      if (left === 0) this.#running.delete(principal);
      else this.#running.set(principal, left);
    }
  }

  async #begin(tool: AgentTool, parameters: CallParameters, caller: Caller): Promise<Begun> {
    const { requestState, responses } = parameters;
    if (requestState !== undefined) return this.#goOn(tool, requestState, responses, caller);
    const { sessions } = this.#options;
    const { identity } = caller;
    const input = await tool.readInput(parameters.input);
    const held =
      input.session === undefined
        ? await sessions.create(tool.agent.name, identity)
        : await sessions.open(input.session, identity);
    const { session } = held;
    const release = withProgress(held, caller);
    try {
      mustBeOf(session, tool);
      const turnId = await start(session, input.prompt, tool, identity);
      return { session, release, turnId, problems: new Map() };
    } catch (thrown) {
      await release();
      throw thrown;
    }
  }

  /** Takes the answers of a repeated call. A question that has an answer keeps it, so repeating the request changes nothing. */
  async #goOn(
    tool: AgentTool,
    requestState: unknown,
    responses: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<Begun> {
    const { state, check } = decodeState(requestState);
    const { sessions } = this.#options;
    const held = await sessions.open(state.sessionId, caller.identity).catch((thrown: unknown) => {
      throw thrown instanceof ServingError ? invalidState() : thrown;
    });
    const { session } = held;
    const release = withProgress(held, caller);
    try {
      verifyState(state, check, session);
      if (session.agent !== tool.agent.name) throw invalidState();
      await session.refresh();
      const problems = await answerCalls(session, responses, state.calls);
      return { session, release, turnId: state.turnId, problems };
    } catch (thrown) {
      await release();
      throw thrown;
    }
  }

  async #finish(
    { session, turnId, problems }: Begun,
    tool: AgentTool,
    caller: Caller,
  ): Promise<WireResult> {
    const { signal } = caller;
    const left = Promise.withResolvers<undefined>();
    const onAbort = (): void => {
      if (!this.#options.isClosing()) this.#abort(session, turnId);
      left.resolve(undefined);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    const { clock, hasDetails } = this.#options;
    const { taskAfterMs = this.#options.taskAfterMs } = tool;
    const onLate = (): void => left.resolve(undefined);
    const isTask = caller.hasTasks && taskAfterMs === 0;
    const cancelTimer = caller.hasTasks ? clock.timer(taskAfterMs, onLate) : () => {};
    try {
      if (isTask) return await toTask(session, turnId);
      const rest = await this.#restOf(session, turnId, caller, left.promise);
      // The protocol has no answer to a cancelled request.
      if (signal.aborted) throw new ServingError("internal", "The request was cancelled");
      if (rest === undefined) return await toTask(session, turnId);
      if (rest.state === "over") return toResult(session, turnId, rest.response, hasDetails);
      return ask(session, turnId, rest.calls, caller.modes, problems);
    } finally {
      signal.removeEventListener("abort", onAbort);
      cancelTimer();
    }
  }

  /** The rest of the turn. Questions that its client cannot ask are refused first, if that is wanted. */
  async #restOf(
    session: Session,
    turnId: string,
    { modes }: Caller,
    left: Promise<undefined>,
  ): Promise<TurnRest | undefined> {
    const { clock, isRefusing } = this.#options;
    for (;;) {
      const rest = await restOf(session, turnId, clock, left);
      if (rest?.state !== "waiting" || !isRefusing) return rest;
      const unasked = rest.calls.filter((call) => toInputRequest(call, modes) === undefined);
      if (unasked.length === 0) return rest;
      await refuseCalls(session, unasked);
    }
  }

  #abort(session: Session, turnId: string): void {
    const aborting = session.abortTurn(turnId, "The client cancelled the request");
    this.#aborting.add(aborting);
    const forget = (): unknown => this.#aborting.delete(aborting);
    // A turn that cannot be aborted now, because the store fails, ends by itself.
    background(aborting.then(forget, forget), () => {});
  }
}

/** Reports progress from before the turn starts until the session is released. */
function withProgress(
  { session, release }: HeldSession,
  { tellProgress }: Caller,
): () => Promise<void> {
  const stop = reportProgress(session, tellProgress);
  return async () => {
    stop();
    await release();
  };
}

async function start(
  session: Session,
  prompt: Awaited<ReturnType<AgentTool["readInput"]>>["prompt"],
  { agent }: AgentTool,
  { app }: McpIdentity,
): Promise<string> {
  if (prompt === undefined) {
    const turn = await session.follow();
    if (turn === undefined) throw invalidParams("The session has no turn: send a `prompt`");
    return turn.id;
  }
  const id = newTurnId();
  const turn = session.send(prompt, {
    id,
    ifPending: "settle",
    ...(agent.appContext !== undefined && { app }),
  });
  await session.flush();
  if ((await session.follow(id)) === undefined) {
    // Refused: the response has the reason.
    const { error } = await turn.response;
    throw invalidParams(error?.message ?? "The session takes no prompt now");
  }
  return id;
}

function ask(
  session: Session,
  turnId: string,
  calls: readonly PendingCall[],
  modes: AskableModes,
  problems: ReadonlyMap<string, string>,
): WireResult {
  const inputRequests: Record<string, InputRequest> = {};
  for (const call of calls) {
    const request = toInputRequest(call, modes, problems.get(call.toolCallId));
    if (request === undefined) return toWaitingResult(session, turnId, calls);
    inputRequests[call.toolCallId] = request;
  }
  const state = { sessionId: session.id, turnId, calls: Object.keys(inputRequests) };
  return {
    resultType: "input_required",
    inputRequests,
    requestState: encodeState(state, session),
  };
}

/** A session keeps the agent it was created with. */
function mustBeOf(session: Session, tool: AgentTool): void {
  if (session.agent === tool.agent.name) return;
  throw invalidParams("This session belongs to another agent: call its tool, or omit `session`");
}
