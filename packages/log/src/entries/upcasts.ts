/** How entries of older versions are brought up to today's, one version at a time. The only place that knows old shapes. */
import type { StoredEntry } from "./entries.ts";

/**
 * By type and by the version that a step starts from. A type without a step has not changed in that version. A step may rename the
 * type; the envelope stays as it is, and whoever calls the step counts the version up.
 */
export interface Upcasts {
  readonly [type: string]: { readonly [fromVersion: number]: Upcast } | undefined;
}

export type Upcast = (old: StoredEntry) => StoredEntry;

/** Empty: version 1 is the first. A step that was released stays for good, with a golden log of its version in `test/golden`. */
export const upcasts: Upcasts = {};
