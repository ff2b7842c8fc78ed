/** Tasks: turns that a client follows by an id. Their state is the session's log; nothing else is kept. */
import type { Clock, Session } from "@capstan/core";
import { answerCalls, refuseCalls } from "./answer-calls.ts";
import type { WireResult } from "./call-results.ts";
import { toResult } from "./call-results.ts";
import type { HeldSessions } from "./held-sessions.ts";
import type { AskableModes } from "./pending-questions.ts";
import { describeCall, toInputRequest } from "./pending-questions.ts";
import { ServingError, toServingError, unknownTask } from "./serving-error.ts";
import type { McpIdentity } from "./serving-options.ts";
import { describeTask, readTaskId } from "./task-ids.ts";
import { restNow } from "./turn-rest.ts";

export interface TaskOptions {
  readonly sessions: HeldSessions;
  readonly clock: Clock;
  readonly hasDetails: boolean;
  readonly isRefusing: boolean;
}

export interface TaskCaller {
  readonly identity: McpIdentity;
  readonly modes: AskableModes;
}

export class Tasks {
  readonly #options: TaskOptions;

  constructor(options: TaskOptions) {
    this.#options = options;
  }

  /** State of a task. Throws `invalid_params`, also for a task of another principal. */
  async get(taskId: unknown, { identity, modes }: TaskCaller): Promise<WireResult> {
    return this.#use(taskId, identity, async (session, turnId) => {
      const { clock, hasDetails, isRefusing } = this.#options;
      const rest = await restNow(session, turnId, clock);
      const about = await describeTask(session, turnId);
      if (rest === undefined) return { ...about, status: "working" };
      if (rest.state === "waiting") {
        const requests = rest.calls.map((call) => [call, toInputRequest(call, modes)] as const);
        const unasked = requests.filter(([, request]) => request === undefined);
        if (unasked.length > 0) {
          if (isRefusing) {
            await refuseCalls(
              session,
              unasked.map(([call]) => call),
            );
            return { ...about, status: "working" };
          }
          // The task ends once the questions are answered elsewhere.
          const statusMessage = rest.calls.map(describeCall).join("\n");
          return { ...about, status: "working", statusMessage };
        }
        const inputRequests = Object.fromEntries(
          requests.map(([{ toolCallId }, request]) => [toolCallId, request]),
        );
        return { ...about, status: "input_required", inputRequests };
      }
      if (rest.response.status === "aborted") return { ...about, status: "cancelled" };
      try {
        const result = toResult(session, turnId, rest.response, hasDetails);
        return { ...about, status: "completed", result };
      } catch (thrown) {
        const { code, message } = toServingError(thrown, hasDetails);
        return { ...about, status: "failed", error: { code, message } };
      }
    });
  }

  /** Answers questions of a task. Those that have an answer keep it; unknown keys change nothing. */
  async update(
    taskId: unknown,
    responses: Readonly<Record<string, unknown>>,
    { identity }: TaskCaller,
  ): Promise<WireResult> {
    return this.#use(taskId, identity, async (session) => {
      await session.refresh();
      await answerCalls(session, responses, Object.keys(responses));
      return {};
    });
  }

  /** Aborts the turn; does nothing if it is over. */
  async cancel(taskId: unknown, { identity }: TaskCaller): Promise<WireResult> {
    return this.#use(taskId, identity, async (session, turnId) => {
      await session.abortTurn(turnId, "The client cancelled the task");
      return {};
    });
  }

  async #use(
    taskId: unknown,
    identity: McpIdentity,
    work: (session: Session, turnId: string) => Promise<WireResult>,
  ): Promise<WireResult> {
    const { sessionId, turnId } = readTaskId(taskId) ?? {};
    if (sessionId === undefined || turnId === undefined) throw unknownTask();
    const { session, release } = await this.#options.sessions
      .open(sessionId, identity)
      .catch((thrown: unknown) => {
        throw thrown instanceof ServingError ? unknownTask() : thrown;
      });
    try {
      if ((await session.follow(turnId)) === undefined) throw unknownTask();
      return await work(session, turnId);
    } finally {
      await release();
    }
  }
}
