/** A host in a process of its own, and the hosts of a run: one that dies is started again. */
import type { Agent, Host, Session } from "@capstan/core";
import { createAgent, createHost, SessionError } from "@capstan/core";
import { Life } from "./life.ts";
import { crashDefaults } from "./scenario.ts";
import type { CrashHost } from "./scenario.ts";
import { scriptedModel } from "./scripted-model.ts";
import { storeProxy } from "./store-proxy.ts";
import { toolbox } from "./toolbox.ts";
import type { World } from "./world.ts";
import { sessionId } from "./world.ts";

const agentName = "helper";

export interface OpenedSession {
  readonly session: Session;
  /** It was not in the store when it was asked for. */
  readonly isNew: boolean;
}

export class SimulatedHost {
  readonly life: Life;
  readonly #host: Host;
  #session: Promise<OpenedSession> | undefined;

  constructor(name: string, world: World, { polls = true }: CrashHost) {
    const { clock, leaseMs, pollMs, run, scheduler, store } = world;
    this.life = new Life({
      name,
      clock,
      faults: run.faults,
      pauseMs: world.pauseMs,
      onPoint: (point) => world.onPoint(point),
      onEndless: (what) => {
        world.isHopeless = true;
        world.violations.add("stuck", `it goes round and round, at last with ${what}`);
      },
      onFault: (fault) => {
        world.hits += 1;
        if (fault.do === "post") world.interject();
      },
    });
    let ids = 0;
    this.#host = createHost({
      agents: [agentOf(this.life, world)],
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
      newId: () => `${name}.${++ids}`,
    });
  }

  /** The session of the run: opened, or to be created by its first send. Fails if it is not there and must not be created. */
  session(mayCreate = true): Promise<OpenedSession> {
    this.#session ??= this.#open(mayCreate).catch((thrown: unknown) => {
      this.#session = undefined;
      throw thrown;
    });
    return this.#session;
  }

  /** The session is to be opened again: another host may have created it. */
  forgetSession(): void {
    this.#session = undefined;
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  async #open(mayCreate: boolean): Promise<OpenedSession> {
    try {
      return { session: await this.#host.open(sessionId), isNew: false };
    } catch (thrown) {
      const isMissing = thrown instanceof SessionError && thrown.code === "not_found";
      if (!isMissing || !mayCreate) throw thrown;
      return {
        session: this.#host.createSession({ id: sessionId, agent: agentName }),
        isNew: true,
      };
    }
  }
}

function agentOf(life: Life, world: World): Agent {
  const { script } = world.scenario;
  return createAgent({
    name: agentName,
    model: scriptedModel({
      life,
      script,
      onRequest: (messages) => world.onRequest(messages),
    }),
    tools: toolbox({
      life,
      onEffect: (toolName, context) => world.onEffect(life.name, toolName, context),
      hasEffect: (key) => world.effects.has(key),
    }),
    retry: { maxAttempts: 20, baseDelayMs: 100, maxDelayMs: 200 },
  });
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
  #waiting: Waiting[] = [];

  constructor(world: World) {
    this.#world = world;
    const specs: readonly CrashHost[] = world.scenario.hosts ?? crashDefaults.hosts;
    this.#slots = specs.map((spec) => ({ spec, host: undefined, starts: 0 }));
    for (const slot of this.#slots) this.#start(slot);
  }

  /** The host of this name, or another one that is there. */
  find(name: string | undefined): SimulatedHost | undefined {
    const named = this.#slots.find(({ spec }) => spec.name === name);
    return named?.host ?? this.#slots.find(({ host }) => host !== undefined)?.host;
  }

  /** The same, as soon as there is one. A client that has lost its host may be in no hurry. */
  reach(name = "", isReturning = false): Promise<SimulatedHost> {
    const isPatient = isReturning && this.#world.scenario.returns === "at rest";
    return new Promise((resolve) => {
      this.#waiting.push({ name, isPatient, resolve });
      this.#serve(false);
    });
  }

  /** Everything is at rest: the patient ones come back. False if there are none. */
  serveAtRest(): boolean {
    return this.#serve(true);
  }

  end(): void {
    for (const { host } of this.#slots) host?.life.kill();
  }

  #start(slot: Slot): void {
    slot.starts += 1;
    const name = slot.starts === 1 ? slot.spec.name : `${slot.spec.name}${slot.starts}`;
    const host = new SimulatedHost(name, this.#world, slot.spec);
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
