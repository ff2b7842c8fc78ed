/** Durable Object that has one session: its entries, lease, head and blobs. */
import type { ObjectState, ObjectStorage, StoreBindings } from "./bindings.ts";
import { answerCall, call } from "./calls.ts";
import type { IndexCalls } from "./index-object.ts";
import type { Reports } from "./reports.ts";
import { SessionCalls } from "./session-calls.ts";

/** Bind its namespace as `CAPSTAN_SESSIONS`, and export it from the worker. */
export class SessionObject {
  readonly #storage: ObjectStorage;
  readonly #index: StoreBindings["CAPSTAN_INDEX"];
  readonly #calls: SessionCalls;

  constructor({ storage }: ObjectState, { CAPSTAN_INDEX }: Pick<StoreBindings, "CAPSTAN_INDEX">) {
    this.#storage = storage;
    this.#index = CAPSTAN_INDEX;
    this.#calls = new SessionCalls(storage, (reports) => this.#report(reports));
  }

  fetch(request: Request): Promise<Response> {
    return answerCall(request, this.#calls, [
      ...(["create", "append", "post", "read", "delete"] as const),
      ...(["acquire", "renew", "release", "claimIfDue"] as const),
      ...(["putBlob", "getBlob", "watch"] as const),
    ]);
  }

  /** Repairs the index, if it was not told of the last write. */
  async alarm(): Promise<void> {
    const { reports } = this.#calls;
    if (reports === undefined) return;
    reports.disarm();
    if (!reports.isTold) await this.#report(reports);
    if (!reports.isTold) await reports.arm(this.#storage);
  }

  async #report(reports: Reports): Promise<void> {
    const { store, report } = reports.current();
    const index = this.#index.getByName(store);
    try {
      await call<IndexCalls, "report">(index, report.id, "report", [report]);
      reports.told(report.version);
    } catch {
      // The write counts without it, and the alarm repeats the report.
    }
  }
}
