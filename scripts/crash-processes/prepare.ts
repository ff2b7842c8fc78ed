// What a run takes place on: a store of its own, and the server that it is on, if there is one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../packages/stores/test/postgres-server.ts";
import type { KillableServer } from "./run.ts";
import type { StorePlace } from "./stores.ts";

export interface Ground extends AsyncDisposable {
  readonly store: StorePlace;
  readonly server?: KillableServer;
  /** Why no server can be killed. */
  readonly whyNoOutage?: string;
}

/** Fails if there is no such store, or no server to be had. */
export async function prepare(name: string): Promise<Ground> {
  if (name === "postgres") return onServer();
  if (name === "sqlite" || name === "fs") return inFolder(name);
  throw new Error(`There is no store "${name}": sqlite, fs or postgres`);
}

function inFolder(name: "sqlite" | "fs"): Ground {
  const folder = mkdtempSync(join(tmpdir(), "capstan-crash-"));
  const place = name === "sqlite" ? join(folder, "sessions.db") : folder;
  const remove = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
  return {
    store: { name, place },
    whyNoOutage: "the store has none",
    [Symbol.asyncDispose]: remove,
  };
}

async function onServer(): Promise<Ground> {
  const server = await startPostgres();
  if (typeof server === "string") throw new Error(`PostgreSQL is needed, and ${server}`);
  const store: StorePlace = { name: "postgres", place: server.url };
  const stop = (): Promise<void> => server.stop();
  const outages =
    server.process === undefined
      ? {
          whyNoOutage:
            "that of DATABASE_URL is not killed: unset it to use and kill one of its own",
        }
      : { server: server.process };
  return { store, ...outages, [Symbol.asyncDispose]: stop };
}
