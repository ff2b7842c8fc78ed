/** Upcasts: convert entries of older versions to today's, one version at a time. The only code that knows old shapes. */
import type { StoredEntry } from "./entries.ts";

/**
 * Steps by type and by the version that they start from. A type without a step has not changed in that version. A step may rename the type;
 * the envelope stays unchanged, and the caller increments the version.
 */
export interface Upcasts {
  readonly [type: string]: { readonly [fromVersion: number]: Upcast } | undefined;
}

/** Function that turns an entry of an older version into one of the next. It must not change its argument. */
export type Upcast = (old: StoredEntry) => StoredEntry;

/** Empty: version 1 is the first. A released step stays forever, with a golden log of its version in `test/golden`. */
export const upcasts: Upcasts = {};
