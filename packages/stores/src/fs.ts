/** `@capstan/stores/fs`: sessions in a folder, as human-readable files. */
import { toRepositoryError } from "./fs/fs-failure.ts";
import type { FsOptions } from "./fs/fs-repository.ts";
import { FsRepository } from "./fs/fs-repository.ts";
import { mustBeNamed } from "./handle/must-be-named.ts";
import type { StoreHandle } from "./handle/store-handle.ts";

export type { FsOptions } from "./fs/fs-repository.ts";
export type { StoreHandle } from "./handle/store-handle.ts";

/** Opens the folder, or creates it. Fails with `unavailable` if that is impossible. */
export function fs(folder: string, options: FsOptions = {}): StoreHandle {
  mustBeNamed(folder, "fs", "folder");
  try {
    return new FsRepository(folder, options);
  } catch (thrown) {
    throw toRepositoryError(thrown, folder, "");
  }
}
