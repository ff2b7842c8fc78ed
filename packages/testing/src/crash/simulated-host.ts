/** A host in its own process, and the hosts of a run: a dead one is restarted. */
import type { Host, HostOptions, Session } from "@capstan/core";
import { createHost, SessionError } from "@capstan/core";
import { Life } from "./life.ts";
import { crashDefaults } from "./scenario.ts";
import type { CrashHost, CrashScenario } from "./scenario.ts";
import { agentName, simulatedAgent } from "./simulated-agent.ts";
import { storeProxy } from "./store-proxy.ts";
import type { World } from "./world.ts";
import { sessionId } from "./world.ts";

/** Changes the options of a run's host on purpose. */
export type AlterHost = (options: HostOptions) => HostOptions;

export interface OpenedSession {
  readonly session: Session;
  /** True if it was not in the store when it was opened. */
  readonly isNew: boolean;
}

export class SimulatedHost {
  readonly life: Life;
  readonly #host: Host;
  readonly #asking: CrashScenario["asking"];
  readonly #opened = new Map<string, Promise<OpenedSession>>();
  readonly #createsAtOpen: boolean;
  readonly #onBegun: (session: Session) => void;
  /** First handle of the main session. */
  #kept: Session | undefined;

  /** `isRestarted`: it reads sessions from their checkpoints, as a process that was started for one turn. */
  constructor(
    name: string,
    world: World,
    { polls = true, isRestarted = false }: CrashHost & { readonly isRestarted?: boolean },
    alter: AlterHost,
  ) {
    const { clock, leaseMs, pollMs, run, scheduler, store } = world;
    this.#asking = world.scenario.asking;
    this.life = new Life({
      name,
      clock,
      faults: run.faults,
      pauseMs: world.pauseMs,
      onPoint: (point) => world.onPoint(point),
      onMoment: (moment) => world.onMoment(moment),
      onEndless: (what) => {
        world.isHopeless = true;
        world.violations.add("stuck", `it loops forever, at last with ${what}`);
      },
      isAtRisk: () => world.isCounting,
      onFault: (fault) => {
        world.hits += 1;
        if (fault.do === "post") world.interject();
      },
    });
    let ids = 0;
    const options: HostOptions = {
      agents: [simulatedAgent(this.life, world)],
      repository: storeProxy({
        store,
        life: this.life,
        scheduler,
        mode: run.mode,
        losesWakeups: polls,
      }),
      clock: { now: clock.now, timer: this.life.timer },
      leaseMs,
      pollMs: polls ? pollMs : Infinity,
      owner: name,
      reads: isRestarted ? "context" : "all",
      checkpointAfter: 1,
      newId: () => `${name}.${++ids}`,
      // A killed process fails in every way: only its effects count. The engine of a living one never fails.
      onError: ({ where, error }) => {
        if (where !== "engine" || this.life.isDead) return;
        world.violations.add("failure", `the engine of ${name} failed: ${String(error)}`);
      },
    };
    this.#host = createHost(alter(options));
    this.#createsAtOpen = world.scenario.creates === "at open";
    this.#onBegun = ({ incarnation }) => {
      if (this.life.isDead || incarnation === undefined) return;
      world.main.acknowledged.add({ type: "begun", incarnation });
    };
  }

  /** Opens the session, or prepares one that its first send creates. Fails if it is missing and must not be created. */
  session(id: string, mayCreate = false): Promise<OpenedSession> {
    const known = this.#opened.get(id);
    if (known !== undefined) return known.then((opened) => this.#unlessGone(opened, mayCreate));
    const opening = this.#open(id, mayCreate).catch((thrown: unknown) => {
      this.#opened.delete(id);
      throw thrown;
    });
    this.#opened.set(id, opening);
    return opening;
  }

  get kept(): Session | undefined {
    return this.#kept;
  }

  async delete(id: string): Promise<void> {
    await this.#host.delete(id);
    this.#opened.delete(id);
  }

  #unlessGone(opened: OpenedSession, mayCreate: boolean): OpenedSession | Promise<OpenedSession> {
    if (!opened.session.isGone) return opened;
    const { id } = opened.session;
    this.#opened.delete(id);
    return this.session(id, mayCreate);
  }

  /** Forces sessions to be reopened: another host may have created them. */
  forgetSessions(): void {
    this.#opened.clear();
  }

  close(drainMs = 0): Promise<void> {
    return this.#host.close({ drainMs });
  }

  async #open(id: string, mayCreate: boolean): Promise<OpenedSession> {
    if (this.#createsAtOpen && mayCreate) {
      const session = await this.#host.session(id, { agent: agentName });
      this.#onBegun(session);
      return this.#keep({ session, isNew: false });
    }
    try {
      return this.#keep({ session: await this.#host.open(id), isNew: false });
    } catch (thrown) {
      const isMissing = thrown instanceof SessionError && thrown.code === "not_found";
      if (!isMissing || !mayCreate) throw thrown;
      return this.#keep({
        session: this.#host.createSession({ id, agent: agentName, ...this.#asking }),
        isNew: true,
      });
    }
  }

  #keep(opened: OpenedSession): OpenedSession {
    if (opened.session.id === sessionId) this.#kept ??= opened.session;
    return opened;
  }
}

interface Slot {
  readonly spec: CrashHost;
  /** Undefined while it is away. */
  host: SimulatedHost | undefined;
  starts: number;
}

interface Waiting {
  readonly name: string;
  readonly isPatient: boolean;
  readonly resolve: (host: SimulatedHost) => void;
}

export class Hosts {
  readonly #world: World;
  readonly #slots: readonly Slot[];
  readonly #alterHost: AlterHost;
  #waiting: Waiting[] = [];

  constructor(world: World, alterHost: AlterHost = (options) => options) {
    this.#world = world;
    this.#alterHost = alterHost;
    const specs: readonly CrashHost[] = world.scenario.hosts ?? crashDefaults.hosts;
    this.#slots = specs.map((spec) => ({ spec, host: undefined, starts: 0 }));
    for (const slot of this.#slots) this.#start(slot);
  }

  /** Returns the host of this name, or another available one. */
  find(name: string | undefined): SimulatedHost | undefined {
    const named = this.#slots.find(({ spec }) => spec.name === name);
    return named?.host ?? this.#slots.find(({ host }) => host !== undefined)?.host;
  }

  /** Resolves with such a host as soon as there is one. A client that has lost its host may be patient. */
  reach(name = "", isReturning = false): Promise<SimulatedHost> {
    const isPatient = isReturning && this.#world.scenario.returns === "at rest";
    return new Promise((resolve) => {
      this.#waiting.push({ name, isPatient, resolve });
      this.#serve(false);
    });
  }

  /** Called at rest: serves the patient clients. False if there are none. */
  serveAtRest(): boolean {
    return this.#serve(true);
  }

  end(): void {
    for (const { host } of this.#slots) host?.life.kill();
  }

  #start(slot: Slot): void {
    slot.starts += 1;
    const name = slot.starts === 1 ? slot.spec.name : `${slot.spec.name}${slot.starts}`;
    const spec = { ...slot.spec, isRestarted: slot.starts > 1 };
    const host = new SimulatedHost(name, this.#world, spec, this.#alterHost);
    slot.host = host;
    const restartMs = this.#world.scenario.restartMs ?? crashDefaults.restartMs;
    const restart = (): void => {
      slot.host = undefined;
      this.#world.clock.timer(restartMs, () => this.#start(slot));
    };
    host.life.died.then(restart, restart);
    this.#serve(false);
  }

  #serve(isAtRest: boolean): boolean {
    const served = this.#waiting.filter(({ name, isPatient, resolve }) => {
      const host = isPatient && !isAtRest ? undefined : this.find(name);
      if (host === undefined || host.life.isDead) return false;
      resolve(host);
      return true;
    });
    this.#waiting = this.#waiting.filter((waiting) => !served.includes(waiting));
    return served.length > 0;
  }
}
