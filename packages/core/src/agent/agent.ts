/** Immutable behaviour: a model, tools, instructions, limits. It stores nothing; sessions do. */
import type { ChatMessage, Turn, TurnResponse } from "@capstan/kernel";
import { runTurn, startTurn, toTurnResponse } from "@capstan/kernel";
import type { Clock } from "../clock.ts";
import { systemClock } from "../clock.ts";
import type { SendInput } from "../input.ts";
import { toMessages } from "../input.ts";
import { newId } from "../new-id.ts";
import { AgentError } from "./agent-error.ts";
import type { AgentInit, TurnOverrides } from "./agent-init.ts";
import type { PlanRequest, TurnPlan } from "./turn-plan.ts";
import { planTurn } from "./turn-plan.ts";
import { checkOutput } from "./typed-output.ts";

/** One turn without a session. */
export interface TurnRequest extends TurnOverrides {
  /** What the user says now; it follows the transcript. */
  readonly input: Exclude<SendInput, readonly { readonly toolCallId: string }[]>;
  /** Default random. */
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

export class Agent<Output = unknown> {
  readonly name: string;
  readonly #init: AgentInit<Output>;

  constructor(init: AgentInit<Output>) {
    this.name = init.name ?? "agent";
    this.#init = init;
  }

  /** The same agent with some things changed. */
  with(changes: Partial<AgentInit<Output>>): Agent<Output> {
    return new Agent({ ...this.#init, ...changes });
  }

  /** What a turn runs with. Whoever asks disposes it when the turn is over. */
  plan(request: Omit<PlanRequest, "agentName">): Promise<TurnPlan> {
    return planTurn(this.#init, { ...request, agentName: this.name });
  }

  /** Runs one turn behind a transcript, which stays as it is: the response has the new messages. */
  runTurn(request: TurnRequest, transcript: readonly ChatMessage[] = []): Turn {
    const { id = newId(), signal } = request;
    return startTurn(
      id,
      ({ emit, signal: stop }) => this.#run(request, transcript, { id, emit, signal: stop }),
      signal,
    );
  }

  /** The events of one turn; its `response` has what came of it. */
  runStream(input: TurnRequest["input"]): Turn {
    return this.runTurn({ input });
  }

  /** The answer to one message. Throws an `AgentError` if there is none. */
  async run(input: TurnRequest["input"]): Promise<string> {
    const response = await this.runTurn({ input }).response;
    if (response.status === "completed") return response.text;
    throw noAnswer(this.name, response);
  }

  /** Adds the typed answer, where this agent has a schema for it. */
  complete(response: TurnResponse): TurnResponse | Promise<TurnResponse> {
    const { output } = this.#init;
    if (output === undefined || response.status !== "completed") return response;
    const last = response.messages.findLast((message) => message.role === "assistant");
    if (last?.role !== "assistant") return response;
    return checkOutput(output, last).then((checked) =>
      checked.problem === undefined ? { ...response, output: checked.value } : response,
    );
  }

  async #run(
    request: TurnRequest,
    transcript: readonly ChatMessage[],
    {
      id,
      emit,
      signal,
    }: {
      readonly id: string;
      readonly emit: Parameters<typeof runTurn>[0]["emit"];
      readonly signal: AbortSignal;
    },
  ): Promise<TurnResponse> {
    const { input, clock = systemClock } = request;
    const messages = toMessages(input, id);
    const plan = await this.plan({
      sessionId: id,
      overrides: request,
      now: clock.now,
      timer: clock.timer,
    });
    try {
      const result = await runTurn({
        ...plan.settings,
        messages: transcript,
        input: messages,
        conversationId: id,
        turnId: id,
        now: clock.now,
        timer: clock.timer,
        emit,
        signal,
      });
      const cost = plan.cost(result.usage);
      return await this.complete({
        ...toTurnResponse(result),
        ...(cost !== undefined && { cost }),
      });
    } finally {
      await plan.dispose();
    }
  }
}

export function createAgent<Output = unknown>(init: AgentInit<Output>): Agent<Output> {
  return new Agent(init);
}

function noAnswer(name: string, { status, error, finishReason }: TurnResponse): AgentError {
  const why = error === undefined ? `it ended ${status} (${finishReason})` : error.message;
  return new AgentError("no_answer", `The agent "${name}" gave no answer: ${why}`, {
    ...(error && { turnError: error }),
  });
}
