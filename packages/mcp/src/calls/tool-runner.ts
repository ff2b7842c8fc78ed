/** Runs calls of one tool of a server, and lets them wait for users and tasks without a process. */
import type { Clock, ToolContext } from "@capstan/core";
import { fail, suspend } from "@capstan/core";
import type { ToolReturn } from "@capstan/kernel";
import { serializeError } from "@capstan/kernel";
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { McpError } from "../errors/mcp-error.ts";
import type { Server } from "../servers/server.ts";
import { taskOf } from "../servers/task-results.ts";
import type { CallState, InputState, ServerCall } from "./call-state.ts";
import { toStored } from "./call-state.ts";
import { describeProgress } from "./progress.ts";
import { takeAnswers, toAsked, toQuestions } from "./questions.ts";
import { toCompletion, toReturn } from "./results.ts";
import { TaskFollower } from "./task-follower.ts";
import {
  longestMs,
  maxRequestStateChars,
  retryDelayMs,
  maxFailures,
  maxRounds,
} from "./call-limits.ts";

export interface RunnerOptions {
  readonly server: Server;
  readonly clock: Clock;
  /** Whether the call may be sent again after its connection was lost. */
  readonly canRepeat: boolean;
  /** How long a call waits for its task before it is suspended. */
  readonly liveTaskMs: number;
  /** The tool as the server declared it last; undefined if it is gone. */
  definition(): Tool | undefined;
  /** Lists the tools again. */
  relist(): Promise<unknown>;
}

/** The server wants headers that its tool's schema declares, and the schema was an old one. The call did not run. */
const headerMismatch = -32_020;

export class ToolRunner {
  readonly #options: RunnerOptions;
  readonly #tasks: TaskFollower;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#tasks = new TaskFollower(options, (state, problem) => this.#later(state, problem));
  }

  /** Runs the call, from its beginning or from where it was suspended. */
  run(call: ServerCall, state: CallState | undefined, context: ToolContext): Promise<ToolReturn> {
    if (state?.kind === "task") return this.#tasks.resume(state, context);
    return state === undefined
      ? this.#send({ ...begun, call }, context)
      : this.#resume(state, context);
  }

  /** The user has answered: all questions, or some of them have to be asked again. */
  async #resume(state: InputState, context: ToolContext): Promise<ToolReturn> {
    const taken = await takeAnswers(state.asked, context.resumed?.answers ?? []);
    const responses = { ...state.responses, ...taken.responses };
    const next: InputState = { ...state, responses, asked: taken.open };
    if (taken.open.length === 0) return this.#send(next, context);
    return this.#ask(next, taken.problems);
  }

  async #send(state: InputState, context: ToolContext): Promise<ToolReturn> {
    let result: CallToolResult;
    try {
      result = await this.#request(state, context);
    } catch (thrown) {
      if (context.signal.aborted) throw thrown;
      if (thrown instanceof McpError) {
        // A call that has waited for its answers is not given up because its server is away for a moment.
        const isWaiting = thrown.code === "unavailable" && state.rounds + state.failures > 0;
        return isWaiting ? this.#later(state, thrown.message) : fail(thrown.message);
      }
      return fail(`The MCP server "${this.#name}" refused the call: ${messageOf(thrown)}`);
    }
    if (isInputRequired(result)) return this.#needInput(state, result, context);
    const task = taskOf(result);
    if (task !== undefined) return this.#tasks.begin(state.call, task, context);
    return toReturn(toCompletion(result));
  }

  async #request(state: InputState, context: ToolContext): Promise<CallToolResult> {
    try {
      return await this.#callTool(state, context);
    } catch (thrown) {
      if ((thrown as { readonly code?: unknown } | null)?.code !== headerMismatch) throw thrown;
      await this.#options.relist();
      return this.#callTool(state, context);
    }
  }

  #callTool(state: InputState, context: ToolContext): Promise<CallToolResult> {
    const { call, responses, requestState } = state;
    const { server, canRepeat, definition } = this.#options;
    const params = {
      name: call.tool,
      // The schema of every tool is an object.
      arguments: call.arguments as Record<string, unknown>,
      ...(Object.keys(responses).length > 0 && { inputResponses: responses }),
      ...(requestState !== undefined && { requestState }),
    };
    const tool = definition();
    return server.use(
      ({ client }) =>
        client.callTool(params, {
          signal: context.signal,
          // The tool's own time limit ends the call.
          timeout: longestMs,
          onprogress: (progress) => context.update(describeProgress(progress)),
          allowInputRequired: true,
          // Without its output schema: the SDK would demand output of a call that only asks a question.
          ...(tool && { toolDefinition: { ...tool, outputSchema: undefined } }),
        }),
      canRepeat,
    );
  }

  #needInput(state: InputState, result: InputRequired, { toolCallId }: ToolContext): ToolReturn {
    const { inputRequests = {}, requestState } = result;
    const { call, rounds, failures } = state;
    if ((requestState?.length ?? 0) > maxRequestStateChars) {
      return fail(`The MCP server "${this.#name}" cannot go on: its state is too large to keep`);
    }
    const asked = toAsked(this.#name, call.tool, inputRequests, toolCallId);
    if (typeof asked === "string")
      return fail(`The MCP server "${this.#name}" cannot go on: ${asked}`);
    const next: InputState = {
      ...{ kind: "input", call, asked, responses: {}, rounds, failures },
      ...(requestState !== undefined && { requestState }),
    };
    // A server that asks nothing wants the call again, later.
    return asked.length === 0
      ? this.#later(next, "it postpones the call again and again")
      : this.#ask(next);
  }

  #ask(state: InputState, problems?: ReadonlyMap<string, string>): ToolReturn {
    if (state.rounds >= maxRounds) {
      return fail(`The MCP server "${this.#name}" asked ${maxRounds} times: the call is given up.`);
    }
    const next = { ...state, rounds: state.rounds + 1 };
    return suspend({ questions: toQuestions(state.asked, problems), state: toStored(next) });
  }

  /** The server cannot be reached, or is not ready: the call waits without a process, and is sent again. */
  #later(state: CallState, problem: string): ToolReturn {
    if (state.failures >= maxFailures) return fail(problem);
    const next = { ...state, asked: [], failures: state.failures + 1 };
    const wakeAt = this.#options.clock.now() + retryDelayMs(state.failures);
    return suspend({ questions: [], state: toStored(next), wakeAt });
  }

  get #name(): string {
    return this.#options.server.name;
  }
}

const begun = { kind: "input", asked: [], responses: {}, rounds: 0, failures: 0 } as const;

interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

function isInputRequired(result: unknown): result is InputRequired {
  return (result as Partial<InputRequired>).resultType === "input_required";
}

function messageOf(thrown: unknown): string {
  return serializeError(thrown).message;
}
