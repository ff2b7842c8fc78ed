/** One of several databases. */
import type { StoreHandle } from "../handle/store-handle.ts";

export interface Shard {
  /** Decides, with the id, which sessions are here: it must not change. */
  readonly name: string;
  readonly store: StoreHandle;
}
