/** Somebody who follows the events of the session, from host to host, each time from where they left off. */
import type { SessionError } from "@capstan/core";
import type { AgentEvent } from "@capstan/kernel";
import type { Cursor } from "@capstan/log";
import { isLiveOnly, startCursor } from "@capstan/log";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import type { WatchedSession } from "./watched-session.ts";
import { sessionId } from "./world.ts";
import type { World } from "./world.ts";

export interface SeenEvent {
  readonly cursor: Cursor;
  readonly event: AgentEvent;
  /** Of the session whose event it is, as its host says. */
  readonly incarnation: string | undefined;
  /** Of the connection, from 1 on. */
  readonly connection: number;
  readonly process: string;
}

export interface ReaderOptions {
  readonly world: World;
  readonly hosts: Hosts;
  /** The host to follow, while it is there. */
  readonly on: string;
  /** The first one is the client's, and is there before the session is. The others come when there is one. */
  readonly isFirst: boolean;
  onEvent(event: AgentEvent, session: WatchedSession): void;
}

/** Before the next try, where something failed. */
const pauseMs = 150;

export class Reader {
  readonly name: string;
  readonly seen: SeenEvent[] = [];
  readonly #options: ReaderOptions;
  #connections = 0;
  #first: "live" | "replayed" = "replayed";

  constructor(options: ReaderOptions) {
    this.name = options.on;
    this.#options = options;
  }

  /** How many events it has seen that entries of this session tell. */
  factsOf({ incarnation }: WatchedSession): number {
    return this.seen.filter((seen) => seen.incarnation === incarnation && !isLiveOnly(seen.event))
      .length;
  }

  /** Whether the first connection was there before the session was. */
  get first(): "live" | "replayed" {
    return this.#first;
  }

  /** To the end of the run. */
  follow(): void {
    this.#follow().catch((thrown: unknown) => {
      this.#options.world.violations.add("failure", `reader ${this.name}: ${String(thrown)}`);
    });
  }

  async #follow(): Promise<never> {
    const { world, hosts, on } = this.#options;
    for (;;) {
      const host = await hosts.reach(on, this.#connections > 0);
      try {
        const ended = await Promise.race([this.#connect(host), host.life.died]);
        if (ended === undefined) continue;
        await Promise.race([ended.promise, host.life.died]);
        if (!host.life.isDead) await world.clock.sleep(pauseMs);
      } catch {
        // The session is not there yet, or the store was not.
        await world.clock.sleep(pauseMs);
      }
    }
  }

  /** What it gives resolves when the session has ended there. */
  async #connect(host: SimulatedHost): Promise<{ readonly promise: Promise<void> }> {
    const { life } = host;
    const { world } = this.#options;
    const { main } = world;
    const mayCreate = this.#options.isFirst && main.age === 1 && !main.wasThere;
    const { session, isNew } = await host.session(sessionId, mayCreate);
    this.#connections += 1;
    const connection = this.#connections;
    await main.look();
    // Only what is not there yet has nothing to be replayed.
    const isUnborn = isNew && main.stored.length === 0;
    if (isUnborn && connection === 1) this.#first = "live";
    const last = this.seen.at(-1);
    const isSame = last !== undefined && last.incarnation === session.incarnation;
    const after = isSame ? last.cursor : startCursor;
    const { promise, resolve } = Promise.withResolvers<void>();
    const show = (event: AgentEvent, cursor: Cursor): void => {
      life.run(() => {
        const arrival = life.arrive(`event ${event.type}`);
        arrival.before();
        life.run(() => {
          const { incarnation } = session;
          this.#take({ cursor, event, incarnation, connection, process: life.name });
          arrival.after();
        });
      });
    };
    const onEnd = (why: SessionError): void => {
      // A host that was told to stop says so instead.
      const isTold = why.code === "not_found" || why.code === "host_closed";
      if (!isTold && !life.isDead) {
        world.violations.add("incarnation", `reader ${this.name} was ended with ${why.code}`);
      }
      resolve();
    };
    session.subscribe(show, isUnborn ? { onEnd } : { after, onEnd });
    return { promise };
  }

  #take(seen: SeenEvent): void {
    const { world, onEvent } = this.#options;
    this.seen.push(seen);
    onEvent(seen.event, world.incarnated(seen.incarnation) ?? world.main);
  }
}
