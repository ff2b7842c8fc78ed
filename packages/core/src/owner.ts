/** Does what a session has to do, under its lease, until nothing is left: starts, continues and resumes turns. */
import type { AgentEvent, ChatMessage, OpenCall, RunTurnInput } from "@capstan/kernel";
import { runTurn } from "@capstan/kernel";
import type { Entry, EntryPoint, MaybePromise, NextAction, OwnedBody } from "@capstan/log";
import { isLiveOnly, isOverdue } from "@capstan/log";
import type { Agent } from "./agent/agent.ts";
import type { Model } from "./agent/model.ts";
import type { TurnPlan } from "./agent/turn-plan.ts";
import type { Clock } from "./clock.ts";
import { Envelopes } from "./envelopes.ts";
import { callbackMs, within } from "./within.ts";
import type { Ownership } from "./ownership.ts";
import { SessionError } from "./session-error.ts";
import type { AppendChoices, SessionLog } from "./session-log.ts";
import type { DependencyScope } from "./tools/dependency-scope.ts";
import { TurnJournal } from "./turn-journal.ts";
import { TurnStop } from "./turn-stop.ts";

export interface OwnerOptions {
  readonly agent: Agent;
  readonly log: SessionLog;
  readonly ownership: Ownership;
  readonly clock: Clock;
  readonly sessionScope: DependencyScope;
  /** Those that were handed to the session in this process. */
  models(): readonly Model[];
  /** Gets the events that no entry tells, while the session is ours. */
  onLive(event: AgentEvent): void;
}

/** What of a turn's input is of this turn alone. */
type TurnParts = Pick<RunTurnInput, "messages" | "input" | "open" | "signal" | "journal">;

type TurnAction = Extract<NextAction, { readonly type: "start" | "continue" | "resume" }>;

/** What the model is told about a call that nobody answered. */
const unanswered = { isError: true, output: "Nobody answered this call in time." } as const;

export class Owner {
  readonly #options: OwnerOptions;
  readonly #envelopes: Envelopes;
  /** Of the turn under way. */
  #stop: TurnStop | undefined;

  constructor(options: OwnerOptions) {
    this.#options = options;
    this.#envelopes = new Envelopes(options.log, options.ownership.lease.epoch);
  }

  /** Works until nothing is left to do: true. False if the store refused us or failed: what is unfinished is in the log, and due. */
  async work(): Promise<boolean> {
    const { log, ownership } = this.#options;
    ownership.onLost = () => this.#stop?.abort();
    try {
      while (!ownership.isLost) {
        ownership.check();
        const action = log.fold.nextAction(log.now());
        if (action.type === "none") {
          if (!log.isHeadBehind) return true;
          if ((await log.refreshHead(ownership.lease)) === "conflict") await log.catchUp();
          continue;
        }
        if (action.type === "return") await this.#returnItems(action.ids);
        else await this.#runTurn(action);
      }
    } catch {
      // What failed is told by whoever asked for it; here it only matters that we cannot go on.
    }
    return false;
  }

  /** Entries were folded: somebody may have cancelled the turn. */
  onChange(): void {
    const { turn } = this.#options.log.fold;
    if (turn?.isCancelled === true) this.#cancel();
  }

  #cancel(): void {
    const reason = this.#options.log.fold.turn?.cancelReason;
    this.#stop?.abort(reason === "" ? undefined : reason);
  }

  async #returnItems(ids: readonly string[]): Promise<void> {
    const turnId = this.#options.log.fold.turn?.turnId ?? ids[0] ?? "";
    const outcome = { type: "returned", reason: "cleared" } as const;
    const head = this.#options.log.fold.head(this.#options.log.now());
    await this.#append([{ type: "queue_settled", turnId, ids, outcome }], { head });
  }

  async #runTurn(action: TurnAction): Promise<void> {
    const { log, clock } = this.#options;
    const stop = new TurnStop();
    this.#stop = stop;
    const planned = this.#plan(action);
    const plan = planned instanceof Promise ? await planned : planned;
    try {
      // Something else may be the next thing to do by now.
      if (planned === plan || isSame(action, log.fold.nextAction(log.now()))) {
        await this.#runPlanned(action, plan, stop);
      }
    } finally {
      const disposed = plan.dispose();
      if (disposed instanceof Promise) {
        await within(clock.timer, callbackMs, disposed, "dispose").catch(() => {});
      }
    }
  }

  /** By what is configured now; a turn that goes on has what it started with. */
  #plan(action: TurnAction): MaybePromise<TurnPlan> {
    const { agent, log, clock, sessionScope, models } = this.#options;
    const { fold } = log;
    const isStart = action.type === "start";
    const input = isStart && action.input.includes(fold.acceptedInput?.id ?? "");
    const overrides = isStart ? input && fold.acceptedInput?.options : fold.turn?.options;
    const config = action.type === "resume" ? fold.turn?.config : fold.config;
    return agent.plan({
      sessionId: log.id,
      sessionScope,
      models: models(),
      spent: () => log.fold.turn?.chainCost,
      prompt: fold.prompt,
      ...(overrides && { overrides }),
      ...(config && { config }),
      now: clock.now,
      timer: clock.timer,
    });
  }

  async #runPlanned(action: TurnAction, plan: TurnPlan, stop: TurnStop): Promise<void> {
    const { ownership, log } = this.#options;
    // The history as it is before the entry that starts the turn.
    const { messages, input } = this.#tail(action);
    const opening = [this.#opening(action), ...this.#changeOfPrompt(action.turnId, plan)];
    const head = log.fold.headAtStart(log.now());
    const isUpToDate = action.type === "start";
    const opened = this.#append(opening, { head, isUpToDate });
    if ((opened instanceof Promise ? await opened : opened) === "conflict") {
      // Whatever was posted meanwhile comes first.
      await log.catchUp();
      return;
    }
    const { fold } = log;
    const at = action.type === "start" ? { messages } : this.#entryPoint();
    if (fold.turn?.isCancelled === true) this.#cancel();
    const journal = new TurnJournal({
      turnId: action.turnId,
      log,
      ownership,
      plan,
      envelopes: this.#envelopes,
      onCancelled: () => this.#cancel(),
    });
    const result = await runTurn(
      this.#inputOf(action, plan, {
        messages: at.messages,
        input: input.length > 0 ? input : undefined,
        open: at.open,
        signal: stop,
        journal: (facts) => journal.record(facts),
      }),
    );
    this.#stop = undefined;
    if (result.error?.code === "journal_failed") {
      throw new SessionError("unavailable", result.error.message, { sessionId: log.id });
    }
  }

  #tail(action: TurnAction): {
    readonly messages: readonly ChatMessage[];
    readonly input: readonly ChatMessage[];
  } {
    const { fold } = this.#options.log;
    if (action.type !== "start") return { messages: [], input: [] };
    const input = fold.messagesOf(action.input);
    return { messages: fold.transcript.startPoint().messages, input };
  }

  #opening(action: TurnAction): OwnedBody {
    const { turnId } = action;
    switch (action.type) {
      case "start":
        return { type: "turn_started", turnId, input: action.input };
      case "continue":
        return { type: "turn_started", turnId, input: [], continues: action.continues };
      case "resume":
        return { type: "turn_resumed", turnId, epoch: this.#options.ownership.lease.epoch };
      default:
        return action satisfies never;
    }
  }

  #changeOfPrompt(turnId: string, { prompt }: TurnPlan): OwnedBody[] {
    if (prompt === undefined) return [];
    const { prompt: last } = this.#options.log.fold;
    const isSame =
      last?.instructions === prompt.instructions && last?.toolsHash === prompt.toolsHash;
    return isSame ? [] : [{ type: "prompt", turnId, ...prompt }];
  }

  /** In the middle of the step that the log leaves off in. */
  #entryPoint(): EntryPoint {
    const { log } = this.#options;
    const { messages, open } = log.fold.transcript.entryPoint();
    const isCancelled = log.fold.turn?.isCancelled === true;
    if (open === undefined || isCancelled) return { messages, ...(open && { open }) };
    const now = log.now();
    return { messages, open: open.map((call) => giveUpOverdue(call, now)) };
  }

  /** All fields in one place and always the same ones: the loop reads it all the time. */
  #inputOf(action: TurnAction, { settings }: TurnPlan, turn: TurnParts): RunTurnInput {
    const { log, clock, ownership } = this.#options;
    const { turn: fold } = log.fold;
    return {
      conversationId: log.id,
      turnId: action.turnId,
      ...turn,
      continues: action.type === "continue" ? action.continues : undefined,
      prior: action.type === "start" ? undefined : fold?.prior(action.type === "resume"),
      provider: settings.provider,
      tools: settings.tools,
      dispatch: settings.dispatch,
      providerOpts: settings.providerOpts,
      cwd: settings.cwd,
      logger: settings.logger,
      transformContext: settings.transformContext,
      convertToLlm: settings.convertToLlm,
      stopWhen: settings.stopWhen,
      checkLimits: settings.checkLimits,
      maxSteps: settings.maxSteps,
      closing: settings.closing,
      checkAnswer: settings.checkAnswer,
      retry: settings.retry,
      deadlines: settings.deadlines,
      recover: settings.recover,
      now: clock.now,
      timer: clock.timer,
      random: clock.random,
      emit: (event) => {
        // What an entry tells is shown from the entry.
        if (isLiveOnly(event) && !ownership.isLost) this.#options.onLive(event);
      },
      drainSteering: () => log.fold.queues.nextSteering().map((item) => item.message),
      hasSteering: () => log.fold.queues.nextSteering().length > 0,
      answers: () => log.fold.answers(),
    };
  }

  #append(
    bodies: readonly OwnedBody[],
    choices: Omit<AppendChoices, "lease">,
  ): MaybePromise<"appended" | "conflict"> {
    const { log, ownership } = this.#options;
    this.#envelopes.begin();
    const entries = bodies.map((body): Entry => ({ ...this.#envelopes.next(), ...body }));
    return log.append(entries, { ...choices, lease: ownership.lease });
  }
}

function isSame(action: TurnAction, other: NextAction): boolean {
  return "turnId" in other && other.type === action.type && other.turnId === action.turnId;
}

function giveUpOverdue(call: OpenCall, now: number): OpenCall {
  if (call.state !== "pending" || !isOverdue(call.pending, now)) return call;
  return { callId: call.callId, state: "settled", result: unanswered };
}
