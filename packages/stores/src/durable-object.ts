/** `@capstan/stores/durable-object`: sessions in Durable Objects of Cloudflare, also on workerd alone. */
import type { StoreBindings } from "./durable-object/bindings.ts";
import { DurableObjectRepository } from "./durable-object/durable-object-repository.ts";
import type { StoreHandle } from "./handle/store-handle.ts";

export type { ObjectNamespace, ObjectStub, StoreBindings } from "./durable-object/bindings.ts";
export { IndexObject } from "./durable-object/index-object.ts";
export { SessionObject } from "./durable-object/session-object.ts";
export type { StoreHandle } from "./handle/store-handle.ts";

/** Options of `durableObjectStore`. */
export interface DurableObjectOptions {
  /** Separates stores that share the bindings: each has an index object of its own. Default "sessions". */
  readonly name?: string;
}

/** Opens a store on a worker's bindings. Nothing is created before the first session. */
export function durableObjectStore(
  bindings: Pick<StoreBindings, "CAPSTAN_SESSIONS" | "CAPSTAN_INDEX">,
  options: DurableObjectOptions = {},
): StoreHandle {
  return new DurableObjectRepository(bindings, { name: options.name ?? "sessions" });
}
