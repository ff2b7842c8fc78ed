/** Keeps track of which databases are away, as far as this process knows: calls for all sessions do without them, and do not wait for them. */
import type { MaybePromise } from "@capstan/log";
import type { Shard } from "./shard.ts";

export interface AttendanceOptions {
  readonly shards: readonly Shard[];
  /** Succeeds if the database is back. */
  probe(shard: Shard): MaybePromise<unknown>;
  /** Says what lacks the sessions of a database. */
  readonly consequence: (name: string) => string;
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
  present(): readonly Shard[] {
    const { shards } = this.#options;
    const present = shards.filter((shard) => !this.#away.has(shard));
    if (present.length === 0) return shards;
    for (const shard of this.#away) this.#probe(shard);
    return present;
  }

  /** Called if a result lacks the sessions of these databases. Says so, once for each outage. */
  leaveOut(failures: ReadonlyMap<Shard, unknown>): void {
    for (const [shard, thrown] of failures) {
      if (this.#isClosed || this.#away.has(shard)) continue;
      this.#away.add(shard);
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const message = `${this.#options.consequence(shard.name)} until it is back: ${why}`;
      process.emitWarning(message, { code: "CAPSTAN_SHARD_AWAY" });
    }
  }

  welcome(shards: Iterable<Shard>): void {
    for (const shard of shards) this.#away.delete(shard);
  }

  /** From now on failures are no outage. */
  close(): void {
    this.#isClosed = true;
  }

  /** One at a time: a database that does not answer would collect them. */
  #probe(shard: Shard): void {
    if (this.#probed.has(shard) || this.#isClosed) return;
    this.#probed.add(shard);
    const ask = async (): Promise<void> => {
      await this.#options.probe(shard);
      this.#away.delete(shard);
    };
    const onOver = (): void => {
      this.#probed.delete(shard);
    };
    // It is still away.
    ask().then(onOver, onOver);
  }
}
