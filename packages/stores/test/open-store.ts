/** The stores by name, for tests that are about all of them. */
import { fs } from "@capstan/stores/fs";
import { postgres } from "@capstan/stores/postgres";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { sqlite } from "@capstan/stores/sqlite";

/** `where` is a folder, or a URL. */
export function openStore(kind: string, where: string): StoreHandle {
  switch (kind) {
    case "sqlite":
      return sqlite(`${where}/sessions.db`);
    case "sqlite-full":
      return sqlite(`${where}/sessions.db`, { durability: "full" });
    case "fs":
      return fs(`${where}/sessions`);
    case "postgres":
      return postgres(where, { timeoutMs: 3_000 });
    default:
      throw new Error(`There is no store "${kind}"`);
  }
}

export const localKinds: readonly string[] = ["sqlite", "sqlite-full", "fs"];
