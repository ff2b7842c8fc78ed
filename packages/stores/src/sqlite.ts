/** `@capstan/stores/sqlite`: sessions in a file, with the SQLite of Node. The store to start with. */
import { mustBeNamed } from "./handle/must-be-named.ts";
import { toRepositoryError } from "./tables/sqlite-failure.ts";
import type { SqliteOptions } from "./sqlite/sqlite-repository.ts";
import { SqliteRepository } from "./sqlite/sqlite-repository.ts";
import type { StoreHandle } from "./handle/store-handle.ts";

export type { SharedMountPolicy } from "./sqlite/shared-mount.ts";
export type { SqliteOptions } from "./sqlite/sqlite-repository.ts";
export type { StoreHandle } from "./handle/store-handle.ts";

/** Opens the file, or creates it; its folder must exist. Fails with `unavailable` if that is impossible. */
export function sqlite(path: string, options: SqliteOptions = {}): StoreHandle {
  mustBeNamed(path, "sqlite", "file");
  try {
    return new SqliteRepository(path, options);
  } catch (thrown) {
    throw toRepositoryError(thrown, path, "");
  }
}
