/** Durable Object that knows all sessions of a store: `list` and `claimDue` ask it. */
import type { DueQuery, ListQuery, SessionPage } from "@capstan/log";
import type { ObjectState, ObjectStorage, StoreBindings } from "./bindings.ts";
import { answerCall } from "./calls.ts";
import type { Report } from "./index-rows.ts";
import { indexMigrations, IndexRows } from "./index-rows.ts";
import { databaseOf, migrate } from "./object-database.ts";

/** How long a woken host has to claim what is due before it is woken again. */
const wakeAgainMs = 10_000;

/** Calls of the index object. */
export class IndexCalls {
  readonly #rows: IndexRows;
  readonly #storage: ObjectStorage;
  readonly #wake: StoreBindings["CAPSTAN_WAKE"];
  /** Time of the alarm. Undefined if unknown or not set. */
  #alarmAt: number | undefined;

  constructor(storage: ObjectStorage, wake: StoreBindings["CAPSTAN_WAKE"]) {
    migrate(storage, indexMigrations);
    this.#storage = storage;
    this.#wake = wake;
    this.#rows = new IndexRows(databaseOf(storage));
  }

  async report(report: Report): Promise<void> {
    this.#storage.transactionSync(() => this.#rows.report(report, Date.now()));
    await this.#setAlarm(0);
  }

  list(query: ListQuery): SessionPage {
    return this.#rows.list(query);
  }

  due(query: Pick<DueQuery, "agents">, except: readonly string[], limit: number): string[] {
    return this.#rows.due(query, except, limit, Date.now());
  }

  nextDueInMs(agents: readonly string[]): number | undefined {
    const now = Date.now();
    const at = this.#rows.nextDueOf(agents, now);
    return at && at - now;
  }

  /** Wakes a host if sessions are due. */
  async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    const at = this.#rows.nextDue();
    const isDue = at !== undefined && at <= Date.now();
    // First, so that a failure of the host ends no series of alarms.
    await this.#setAlarm(isDue ? wakeAgainMs : 0);
    if (isDue) await this.#wake?.fetch("https://capstan.internal/due", { method: "POST" });
  }

  async #setAlarm(afterMs: number): Promise<void> {
    if (this.#wake === undefined) return;
    const due = this.#rows.nextDue();
    if (due === undefined) return;
    const at = Math.max(due, Date.now() + afterMs);
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    await this.#storage.setAlarm(at);
  }
}

/** Bind its namespace as `CAPSTAN_INDEX`, and export it from the worker. */
export class IndexObject {
  readonly #calls: IndexCalls;

  constructor({ storage }: ObjectState, { CAPSTAN_WAKE }: Pick<StoreBindings, "CAPSTAN_WAKE">) {
    this.#calls = new IndexCalls(storage, CAPSTAN_WAKE);
  }

  fetch(request: Request): Promise<Response> {
    return answerCall(request, this.#calls, ["report", "list", "due", "nextDueInMs"]);
  }

  alarm(): Promise<void> {
    return this.#calls.alarm();
  }
}
