/** Follows the tasks of a server: for a moment in memory, then without a process, until they end. */
import type { ToolContext } from "@capstan/core";
import { fail, suspend } from "@capstan/core";
import type { StandardSchema, ToolReturn } from "@capstan/kernel";
import { background, serializeError } from "@capstan/kernel";
import { McpError } from "../errors/mcp-error.ts";
import type { Task } from "../servers/task-results.ts";
import { toTask } from "../servers/task-results.ts";
import { pollDelayMs, maxRounds } from "./call-limits.ts";
import type { CallState, ServerCall, TaskState } from "./call-state.ts";
import { toStored } from "./call-state.ts";
import { describeStatus } from "./progress.ts";
import { takeAnswers, toAsked, toQuestions } from "./questions.ts";
import { toCompletion, toReturn } from "./results.ts";
import type { RunnerOptions } from "./tool-runner.ts";

const requestMs = 60_000;

export class TaskFollower {
  readonly #options: RunnerOptions;
  readonly #later: (state: CallState, problem: string) => ToolReturn;

  constructor(options: RunnerOptions, later: (state: CallState, problem: string) => ToolReturn) {
    this.#options = options;
    this.#later = later;
  }

  /** The server has made the call a task. */
  async begin(call: ServerCall, task: Task, context: ToolContext): Promise<ToolReturn> {
    const { clock, liveTaskMs } = this.#options;
    const state: TaskState = { ...begun, call, taskId: task.taskId };
    return this.#guarded(state, context, () =>
      this.#follow(state, task, context, clock.now() + liveTaskMs),
    );
  }

  /** The task is due for a poll, or its questions have answers. */
  async resume(state: TaskState, context: ToolContext): Promise<ToolReturn> {
    const taken = await takeAnswers(state.asked, context.resumed?.answers ?? []);
    const responses = { ...state.responses, ...taken.responses };
    const next: TaskState = { ...state, responses, asked: taken.open };
    if (taken.open.length > 0) return this.#ask(next, taken.problems);
    return this.#guarded(next, context, async () => {
      const { taskId } = next;
      const keys = Object.keys(responses);
      if (keys.length > 0) {
        // A server ignores answers that it has already, so this may be repeated.
        await this.#request("tasks/update", { taskId, inputResponses: responses }, context.signal);
      }
      const answered = [...state.answered, ...keys];
      const polls = keys.length > 0 ? 0 : next.polls;
      const sent = { ...next, responses: {}, answered, polls, failures: 0 };
      return this.#follow(sent, await this.#poll(taskId, context), context, -Infinity);
    });
  }

  /** A server that cannot be reached keeps the task: the call waits. */
  async #guarded(
    state: TaskState,
    context: ToolContext,
    work: () => Promise<ToolReturn>,
  ): Promise<ToolReturn> {
    try {
      return await work();
    } catch (thrown) {
      if (context.signal.aborted) {
        this.#cancel(state.taskId);
        throw thrown;
      }
      if (thrown instanceof McpError) return this.#later(state, thrown.message);
      const { message } = serializeError(thrown);
      return fail(
        `The MCP server "${this.#name}" does not know the task of the call any more (${message}). Its outcome is unknown: check before you repeat it.`,
      );
    }
  }

  async #follow(
    state: TaskState,
    first: Task,
    context: ToolContext,
    liveUntil: number,
  ): Promise<ToolReturn> {
    const { clock } = this.#options;
    let task = first;
    let shown: string | undefined;
    for (let polls = state.polls; ; polls += 1) {
      const ended = this.#endOf(task);
      if (ended !== undefined) return ended;
      const asked = this.#questionsOf(task, state, context.toolCallId);
      if (typeof asked === "string") return fail(asked);
      if (asked.length > 0) return this.#ask({ ...state, asked, polls: 0 });
      const { statusMessage, pollIntervalMs } = task;
      if (typeof statusMessage === "string" && statusMessage !== shown) {
        shown = statusMessage;
        context.update(describeStatus(statusMessage));
      }
      const delayMs = pollDelayMs(polls, pollIntervalMs);
      const wakeAt = clock.now() + delayMs;
      if (wakeAt > liveUntil) {
        const next = { ...state, asked: [], polls: polls + 1 };
        return suspend({ questions: [], state: toStored(next), wakeAt });
      }
      await this.#wait(delayMs, context.signal);
      task = await this.#poll(state.taskId, context);
    }
  }

  #endOf({ status, result, error, statusMessage }: Task): ToolReturn | undefined {
    if (status === "completed") return toReturn(toCompletion(result ?? {}));
    if (status !== "failed" && status !== "cancelled") return undefined;
    const reason = [error?.message, statusMessage].find((each) => typeof each === "string");
    const outcome = status === "failed" ? "failed" : "was cancelled by the server";
    return fail(
      `The task ${outcome}${reason === undefined ? "" : `: ${describeStatus(reason).trim()}`}`,
    );
  }

  #questionsOf(task: Task, state: TaskState, toolCallId: string): ReturnType<typeof toAsked> {
    if (task.status !== "input_required") return [];
    const news = Object.entries(task.inputRequests ?? {}).filter(
      ([key]) => !state.answered.includes(key),
    );
    return toAsked(this.#name, state.call.tool, Object.fromEntries(news), toolCallId);
  }

  #ask(state: TaskState, problems?: ReadonlyMap<string, string>): ToolReturn {
    if (state.rounds >= maxRounds) {
      this.#cancel(state.taskId);
      return fail(`The MCP server "${this.#name}" asked ${maxRounds} times: the call is given up.`);
    }
    const next = { ...state, rounds: state.rounds + 1 };
    return suspend({ questions: toQuestions(state.asked, problems), state: toStored(next) });
  }

  async #poll(taskId: string, { signal }: ToolContext): Promise<Task> {
    const task = toTask(await this.#request("tasks/get", { taskId }, signal));
    if (task === undefined) throw new Error("the server returned no task");
    return task;
  }

  #request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    const request = { method, params: params as Record<string, unknown> };
    const options = { timeout: requestMs, ...(signal && { signal }) };
    return this.#options.server.use(
      ({ client }) => client.request(request, anything, options),
      true,
    );
  }

  #cancel(taskId: string): void {
    // The call ends in any case; a server that does not hear of it ends the task when its time is over.
    background(this.#request("tasks/cancel", { taskId }), () => {});
  }

  /** Rejects when the call is aborted. */
  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        cancel();
        reject(new Error("The call was aborted"));
      };
      const cancel = this.#options.clock.timer(ms, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }

  get #name(): string {
    return this.#options.server.name;
  }
}

const begun = {
  kind: "task",
  asked: [],
  responses: {},
  answered: [],
  rounds: 0,
  failures: 0,
  polls: 0,
} as const;

/** The SDK wants a schema; what comes is checked where it is read. */
const anything: StandardSchema<unknown, unknown> = {
  "~standard": {
    version: 1,
    vendor: "capstan",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({}) },
  },
};
