/** Objects in a real workerd on this machine, and their namespaces as a store needs them. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ObjectNamespace, StoreBindings } from "@capstan/stores/durable-object";
import type { Workerd } from "../../../../test/workerd.ts";
import { bundleWorker, startWorkerd } from "../../../../test/workerd.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface Objects {
  readonly bindings: StoreBindings;
  /** Makes the index of a store refuse reports until the next restart. */
  loseIndex(store: string): Promise<void>;
  /** How often the service `CAPSTAN_WAKE` was requested since the last start. */
  wakes(): Promise<number>;
  /** Kills workerd with SIGKILL, and starts it again on the same disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function openObjects(binary: string): Promise<Objects> {
  const folder = temporaryFolder();
  const disk = join(folder.path, "disk");
  mkdirSync(disk);
  const files = ["objects.ts", "objects.capnp"].map((name) => join(import.meta.dirname, name));
  const config = await bundleWorker(...(files as [string, string]), folder.path);
  let workerd: Workerd = await startWorkerd(binary, config, disk);

  const namespaceOf = (binding: string): ObjectNamespace => ({
    getByName: (name) => ({
      fetch: (_, init) => fetch(`${workerd.url}/${binding}/${encodeURIComponent(name)}`, init),
    }),
  });
  return {
    bindings: {
      CAPSTAN_SESSIONS: namespaceOf("CAPSTAN_SESSIONS"),
      CAPSTAN_INDEX: namespaceOf("CAPSTAN_INDEX"),
    },
    loseIndex: async (store) => {
      const url = `${workerd.url}/CAPSTAN_INDEX/${encodeURIComponent(store)}/away`;
      await fetch(url, { method: "POST" });
    },
    wakes: async () => (await (await fetch(`${workerd.url}/wakes`)).json()) as number,
    restart: async () => {
      await workerd.stop("SIGKILL");
      workerd = await startWorkerd(binary, config, disk);
    },
    stop: async () => {
      await workerd.stop("SIGKILL");
      folder[Symbol.dispose]();
    },
  };
}
