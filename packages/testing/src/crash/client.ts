/** Client of a run: outside of all processes. It performs the scenario's actions, and repeats those not acknowledged. */
import type { SessionEvent } from "@capstan/log";
import { persist } from "./persist.ts";
import type { Wish } from "./persist.ts";
import type { ClientAction, CrashTrigger } from "./scenario.ts";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import { toDelete, toUseOldHandle } from "./wishes/ages.ts";
import { Answering } from "./wishes/answers.ts";
import { toCompact, toConfigure, toFork, toReplace, toRewind } from "./wishes/changes.ts";
import { toEnqueue, toSend, toStop } from "./wishes/messages.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export class Client {
  readonly #world: World;
  readonly #hosts: Hosts;
  readonly #answering: Answering;
  readonly #waiting: ClientAction[];
  readonly #counts = new Map<string, number>();
  /** Actions in progress. */
  readonly #busy = new Set<{ readonly what: string }>();

  constructor(world: World, hosts: Hosts) {
    this.#world = world;
    this.#hosts = hosts;
    this.#answering = new Answering(world);
    this.#waiting = [...world.scenario.actions];
    for (const { when } of this.#waiting) {
      // A timer without effect lets the clock stop there.
      if (typeof when === "object" && "afterMs" in when) world.clock.timer(when.afterMs, () => {});
    }
  }

  get busyWith(): readonly string[] {
    return [...this.#busy].map(({ what }) => what);
  }

  /** Handles an event of this session that the client saw. */
  onEvent(event: SessionEvent, session: WatchedSession): void {
    this.#counts.set(event.type, (this.#counts.get(event.type) ?? 0) + 1);
    const { scenario } = this.#world;
    const isAwaiting = event.type === "awaiting_tool_execution";
    if (!isAwaiting && event.type !== "turn_end") return;
    const { pending = [] } = event;
    this.#answering.hear(pending);
    if (isAwaiting && scenario.answers !== "early") return;
    if (session.isOver) return;
    for (const wish of this.#answering.toPending(session, pending)) this.#pursue(wish);
  }

  /** Starts actions that are due now. False if there are none. */
  step(): boolean {
    const due = this.#waiting.filter(({ when }) => this.#isDue(when));
    for (const action of due) this.#start(action);
    return due.length > 0;
  }

  /** Answers pending calls. False if there are none. */
  answerAtRest(): boolean {
    const wishes = this.#world.sessions.flatMap((session) => {
      this.#answering.hear(session.fold.pending);
      return this.#answering.toPending(session, session.fold.pending);
    });
    for (const wish of wishes) this.#pursue(wish);
    return wishes.length > 0;
  }

  /** Called at rest: starts the next action, whose trigger did not come. False if there is none. */
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
      case "close": {
        const host = this.#hosts.find(action.on);
        if (host === undefined) return;
        return this.#run(`close of ${host.life.name}`, closeAndExit(host, action.drainMs));
      }
      case "pause":
        return this.#hosts.find(action.on)?.life.pause(action.ms);
      default:
        return this.#pursue(this.#toWish(action));
    }
  }

  #toWish(action: Exclude<ClientAction, { readonly do: "close" | "pause" }>): Wish {
    const world = this.#world;
    switch (action.do) {
      case "send":
      case "continue":
        return toSend(world, action);
      case "steer":
      case "followUp":
        return toEnqueue(world, action);
      case "abort":
      case "abandon":
        return toStop(world, action);
      case "compact":
        return toCompact(world, action);
      case "answer":
        return this.#answering.toKnown(action);
      case "claim":
        return this.#answering.toClaim(action);
      case "configure":
        return toConfigure(world, action);
      case "clearHistory":
      case "loadHistory":
      case "reset":
        return toReplace(world, action);
      case "rewind":
        return toRewind(world, action);
      case "fork":
        return toFork(world, action);
      case "delete":
        return toDelete(world, action);
      case "use-old-handle":
        return toUseOldHandle(world, action);
      default:
        return action satisfies never;
    }
  }

  #pursue(wish: Wish): void {
    this.#run(wish.what, persist(this.#world, this.#hosts, wish));
  }

  #run(what: string, work: Promise<unknown>): void {
    const busy = { what };
    this.#busy.add(busy);
    const end = (): boolean => this.#busy.delete(busy);
    work.then(end, end);
  }
}

async function closeAndExit(host: SimulatedHost, drainMs: number | undefined): Promise<void> {
  await Promise.race([host.close(drainMs), host.life.died]);
  host.life.kill();
}
