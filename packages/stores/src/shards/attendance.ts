/** Keeps track of which databases are away, as far as this process knows: calls for all sessions do without them, and do not wait for them. */
import type { MaybePromise } from "@capstan/log";
import type { Shard } from "./shard.ts";

export interface AttendanceOptions {
  readonly shards: readonly Shard[];
  /** Says what lacks the sessions of a database. Absent if nothing does. */
  readonly consequence?: (name: string) => string;
}

/** Finds out whether a database is back. */
export interface Probe {
  /** Does a little of what the database is left out of: something else may be fast where that is slow. */
  ask(shard: Shard): MaybePromise<unknown>;
  /** A database that takes longer is still away. */
  readonly patienceMs: number;
}

export class Attendance {
  readonly #options: AttendanceOptions;
  readonly #away = new Set<Shard>();
  /** Databases that are being asked whether they are back. */
  readonly #probed = new Set<Shard>();
  #isClosed = false;

  constructor(options: AttendanceOptions) {
    this.#options = options;
  }

  /** Databases to ask: all of them if all are away. The others are asked whether they are back, for the next call. */
  present(probe: Probe): readonly Shard[] {
    const { shards } = this.#options;
    const present = shards.filter((shard) => !this.#away.has(shard));
    for (const shard of this.#away) this.#probe(shard, probe);
    return present.length === 0 ? shards : present;
  }

  isAway(shard: Shard): boolean {
    return this.#away.has(shard);
  }

  /** Called if a result lacks the sessions of these databases. Says so, once for each outage. */
  leaveOut(failures: ReadonlyMap<Shard, unknown>): void {
    for (const [shard, thrown] of failures) {
      if (this.#isClosed || this.#away.has(shard)) continue;
      this.#away.add(shard);
      const consequence = this.#options.consequence?.(shard.name);
      if (consequence === undefined) continue;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const message = `${consequence} until it is back: ${why}`;
      process.emitWarning(message, { code: "CAPSTAN_SHARD_AWAY" });
    }
  }

  /** From now on failures are no outage. */
  close(): void {
    this.#isClosed = true;
  }

  /** One at a time: a database that does not answer would collect them. */
  #probe(shard: Shard, { ask, patienceMs }: Probe): void {
    if (this.#probed.has(shard)) return;
    this.#probed.add(shard);
    const startedAt = performance.now();
    const run = async (): Promise<void> => {
      await ask(shard);
      if (performance.now() - startedAt <= patienceMs) this.#away.delete(shard);
    };
    const onOver = (): void => {
      this.#probed.delete(shard);
    };
    // It is still away.
    run().then(onOver, onOver);
  }
}
