/** Somebody who follows the events of the session, from host to host, each time from where they left off. */
import type { AgentEvent } from "@capstan/kernel";
import type { Cursor } from "@capstan/log";
import { isLiveOnly, startCursor } from "@capstan/log";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import { sessionId } from "./world.ts";
import type { World } from "./world.ts";

export interface SeenEvent {
  readonly cursor: Cursor;
  readonly event: AgentEvent;
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
  onEvent(event: AgentEvent): void;
}

/** Before the next try, where something failed. */
const pauseMs = 150;

export class Reader {
  readonly name: string;
  readonly seen: SeenEvent[] = [];
  readonly #options: ReaderOptions;
  #connections = 0;
  #facts = 0;
  #first: "live" | "replayed" = "replayed";

  constructor(options: ReaderOptions) {
    this.name = options.on;
    this.#options = options;
  }

  /** How many events it has seen that entries tell. */
  get facts(): number {
    return this.#facts;
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
        await Promise.race([this.#connect(host), host.life.died]);
        await host.life.died;
      } catch {
        // The session is not there yet, or the store was not.
        await world.clock.sleep(pauseMs);
      }
    }
  }

  async #connect(host: SimulatedHost): Promise<void> {
    const { life } = host;
    const { session, isNew } = await host.session(sessionId, this.#options.isFirst);
    this.#connections += 1;
    const connection = this.#connections;
    const { main } = this.#options.world;
    await main.look();
    // Only what is not there yet has nothing to be replayed.
    const isUnborn = isNew && main.stored.length === 0;
    if (isUnborn && connection === 1) this.#first = "live";
    const after = this.seen.at(-1)?.cursor ?? startCursor;
    const show = (event: AgentEvent, cursor: Cursor): void => {
      life.run(() => {
        const arrival = life.arrive(`event ${event.type}`);
        arrival.before();
        life.run(() => {
          this.#take({ cursor, event, connection, process: life.name });
          arrival.after();
        });
      });
    };
    session.subscribe(show, isUnborn ? {} : { after });
  }

  #take(seen: SeenEvent): void {
    this.seen.push(seen);
    if (!isLiveOnly(seen.event)) this.#facts += 1;
    this.#options.onEvent(seen.event);
  }
}
