/** A reader that follows the events of the session, from host to host, each time from its last cursor. */
import type { SessionError } from "@capstan/core";
import type { Cursor, SessionEvent } from "@capstan/log";
import { isLiveOnly, startCursor } from "@capstan/log";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import type { WatchedSession } from "./watched-session.ts";
import { sessionId } from "./world.ts";
import type { World } from "./world.ts";

export interface SeenEvent {
  readonly cursor: Cursor;
  readonly event: SessionEvent;
  /** Incarnation of the event's session, according to its host. */
  readonly incarnation: string | undefined;
  /** Number of the connection, from 1. */
  readonly connection: number;
  readonly process: string;
}

export interface ReaderOptions {
  readonly world: World;
  readonly hosts: Hosts;
  /** Host to follow, while it is available. */
  readonly on: string;
  /** The first reader is the client's, and connects before the session exists. The others come once it does. */
  readonly isFirst: boolean;
  onEvent(event: SessionEvent, session: WatchedSession): void;
}

/** Delay before the next try after a failure. */
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

  /** Number of events of this session's entries that it has seen. */
  factsOf({ incarnation }: WatchedSession): number {
    return this.seen.filter((seen) => seen.incarnation === incarnation && !isLiveOnly(seen.event))
      .length;
  }

  /** Whether the first connection was made before the session existed. */
  get first(): "live" | "replayed" {
    return this.#first;
  }

  /** Follows until the end of the run. */
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
        // The session does not exist yet, or the store was unavailable.
        await world.clock.sleep(pauseMs);
      }
    }
  }

  /** The returned promise resolves when the session has ended there. */
  async #connect(host: SimulatedHost): Promise<{ readonly promise: Promise<void> }> {
    const { life } = host;
    const { world } = this.#options;
    const { main } = world;
    const mayCreate = this.#options.isFirst && main.age === 1 && !main.wasThere;
    const { session, isNew } = await host.session(sessionId, mayCreate);
    this.#connections += 1;
    const connection = this.#connections;
    await main.look();
    // Only a session that does not exist yet has nothing to replay. A host that was paused may still know one that was deleted.
    const isUnborn = isNew && main.stored.length === 0 && session.incarnation === undefined;
    if (isUnborn && connection === 1) this.#first = "live";
    const last = this.seen.at(-1);
    const isSame = last !== undefined && last.incarnation === session.incarnation;
    const after = isSame ? last.cursor : startCursor;
    const { promise, resolve } = Promise.withResolvers<void>();
    const show = (event: SessionEvent, cursor: Cursor): void => {
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
      // A closing host reports that instead.
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
