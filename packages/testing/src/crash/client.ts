/** The client of a run: outside of all processes. It does what the scenario says, and repeats what was not acknowledged. */
import type { AgentEvent, PendingCall } from "@capstan/kernel";
import { isCapstanError } from "@capstan/kernel";
import type { Answer } from "@capstan/core";
import { persist, triedOf } from "./persist.ts";
import type { Tried, Wish } from "./persist.ts";
import type { ClientAction, CrashTrigger } from "./scenario.ts";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import type { World } from "./world.ts";

type MessageAction = Extract<ClientAction, { readonly text: string }>;
type AbortAction = Extract<ClientAction, { readonly do: "abort" }>;

export class Client {
  readonly #world: World;
  readonly #hosts: Hosts;
  readonly #waiting: ClientAction[];
  readonly #counts = new Map<string, number>();
  /** Calls whose answer is on its way or was taken. */
  readonly #answering = new Set<string>();
  /** What is under way, by a description. */
  readonly #busy = new Set<string>();

  constructor(world: World, hosts: Hosts) {
    this.#world = world;
    this.#hosts = hosts;
    this.#waiting = [...world.scenario.actions];
    for (const { when } of this.#waiting) {
      // A timer that does nothing lets the clock stop there.
      if (typeof when === "object" && "afterMs" in when) world.clock.timer(when.afterMs, () => {});
    }
  }

  get busyWith(): readonly string[] {
    return [...this.#busy];
  }

  /** An event that the client saw. */
  onEvent(event: AgentEvent): void {
    this.#counts.set(event.type, (this.#counts.get(event.type) ?? 0) + 1);
    const { answers = "late" } = this.#world.scenario;
    if (event.type === "awaiting_tool_execution" && answers === "early") {
      this.#answer(event.pending);
    }
    if (event.type === "turn_end" && event.pending !== undefined) this.#answer(event.pending);
  }

  /** Starts what is to be started now. False if there is nothing. */
  step(): boolean {
    const due = this.#waiting.filter(({ when }) => this.#isDue(when));
    for (const action of due) this.#start(action);
    return due.length > 0;
  }

  /** Answers what still waits. False if nothing does. */
  answerAtRest(): boolean {
    return this.#answer(this.#world.fold.pending);
  }

  /** Everything is at rest: does the next thing, whose trigger did not come. False if there is nothing. */
  stepAtRest(): boolean {
    if (this.answerAtRest()) return true;
    const [next] = this.#waiting;
    if (next === undefined) return false;
    this.#start(next);
    return true;
  }

  #isDue(when: CrashTrigger): boolean {
    if (when === "start") return true;
    if (when === "rest") return false;
    if ("afterMs" in when) return this.#world.clock.now() >= 1_000_000 + when.afterMs;
    return (this.#counts.get(when.event) ?? 0) >= (when.nth ?? 1);
  }

  #start(action: ClientAction): void {
    this.#waiting.splice(this.#waiting.indexOf(action), 1);
    switch (action.do) {
      case "send":
        return this.#pursue(this.#send(action));
      case "steer":
      case "followUp":
        return this.#pursue(this.#enqueue(action.do, action));
      case "abort":
        return this.#pursue(this.#abort(action));
      case "close": {
        const host = this.#hosts.find(action.on);
        if (host === undefined) return;
        return this.#run(`close of ${host.life.name}`, closeAndExit(host));
      }
      case "pause":
        return this.#hosts.find(action.on)?.life.pause(action.ms);
      default:
        return action satisfies never;
    }
  }

  #pursue(wish: Wish): void {
    this.#run(wish.what, persist(this.#world, this.#hosts, wish));
  }

  #run(what: string, work: Promise<unknown>): void {
    this.#busy.add(what);
    const end = (): boolean => this.#busy.delete(what);
    work.then(end, end);
  }

  #send({ id, text, on }: MessageAction): Wish {
    const { acknowledged } = this.#world;
    return {
      on,
      what: `send ${id}`,
      try: async (host) => {
        const { session } = await host.session();
        const response = await session.send(text, { id }).response;
        const code = response.error?.code;
        if (host.life.isDead) return "again";
        if (triedOf(code) !== "done") return triedOf(code);
        if (code === "turn_unfinished") acknowledged.add({ type: "refused", id, code });
        else acknowledged.add({ type: "response", turnId: id, response });
        return "done";
      },
    };
  }

  #enqueue(queue: "steer" | "followUp", { id, text, on }: MessageAction): Wish {
    const { acknowledged } = this.#world;
    return {
      on,
      what: `${queue} ${id}`,
      try: async (host) => {
        const { session } = await host.session();
        const receipt = await session[queue](text, { id });
        acknowledged.add({ type: "posted", id });
        receipt.outcome.then(
          (outcome) => {
            if (!host.life.isDead) acknowledged.add({ type: "settled", id, outcome });
          },
          (thrown: unknown) => {
            // A host that was closed cannot tell what becomes of it; the log can.
            if (isCapstanError(thrown) && thrown.code === "host_closed") return;
            this.#world.violations.add("failure", `the receipt of ${id} failed`);
          },
        );
        return "done";
      },
    };
  }

  /** A repeated abort is for the same turn only: without it, a later turn might be meant. */
  #abort({ reason, on }: AbortAction): Wish {
    let target: string | undefined;
    return {
      on,
      what: "abort",
      try: async (host, isRepeated) => {
        const { session } = await host.session(false);
        await this.#world.look();
        target ??= this.#unfinished();
        if (isRepeated && this.#unfinished() !== target) return "done";
        await session.abort(reason);
        await this.#world.look();
        const turnId = this.#unfinished();
        if (turnId !== undefined && turnId === target) {
          this.#world.acknowledged.add({ type: "aborted", turnId });
        }
        return "done";
      },
    };
  }

  /** The first of the chain of turns that runs or waits. */
  #unfinished(): string | undefined {
    const { acceptedInput, turn } = this.#world.fold;
    if (acceptedInput !== undefined) return acceptedInput.id;
    return turn === undefined || (turn.isOver && !turn.isSuspended) ? undefined : turn.rootId;
  }

  /** False if there is nothing to answer. */
  #answer(pending: readonly PendingCall[]): boolean {
    const { answers = "late" } = this.#world.scenario;
    const calls = pending.filter(
      ({ toolCallId, toolName }) => toolName !== "ignored" && !this.#answering.has(toolCallId),
    );
    if (calls.length === 0 || answers === "never") return false;
    for (const { toolCallId } of calls) this.#answering.add(toolCallId);
    const groups = answers === "one-by-one" ? calls.map((call) => [call]) : [calls];
    for (const group of groups) this.#pursue(this.#answers(group));
    return true;
  }

  #answers(calls: readonly PendingCall[]): Wish {
    const { acknowledged } = this.#world;
    const ids = calls.map(({ toolCallId }) => toolCallId);
    return {
      what: `answers to ${ids.join(", ")}`,
      try: async (host, isRepeated) => {
        const { session } = await host.session(false);
        const response = await session.send(calls.map((call) => this.#toAnswer(call))).response;
        const code = response.error?.code;
        if (host.life.isDead) return "again";
        if (triedOf(code) !== "done") return triedOf(code);
        if (isRepeated && (code === "not_pending" || code === "already_answered")) return "done";
        if (code !== undefined) return this.#refused(`answers to ${ids.join(", ")}`, code);
        for (const toolCallId of ids) acknowledged.add({ type: "answered", toolCallId });
        return "done";
      },
    };
  }

  #toAnswer({ toolCallId, kind, hash, toolName }: PendingCall): Answer {
    if (kind === "execution") return { toolCallId, ok: true, output: `${toolName} is done` };
    return { toolCallId, hash, approved: this.#world.scenario.approves ?? true };
  }

  /** Where nothing else may have come first, somebody waits for every answer. */
  #refused(what: string, code: string): Tried {
    const isRefusal = code === "not_pending" || code === "already_answered";
    if (isRefusal && this.#world.scenario.mayDiffer === undefined) {
      this.#world.violations.add("failure", `${what} was refused with ${code}`);
    }
    return "done";
  }
}

async function closeAndExit(host: SimulatedHost): Promise<void> {
  await Promise.race([host.close(), host.life.died]);
  host.life.kill();
}
