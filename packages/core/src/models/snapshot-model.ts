/** A model in the snapshot: one line of a vendor's file, written by `scripts/update-models.ts`. */
import type { ModelFacts } from "@capstan/kernel";

/** In dollars per million tokens. */
export interface SnapshotPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface SnapshotModel extends Required<
  Pick<ModelFacts, "contextWindow" | "maxOutputTokens" | "input">
> {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly thinking?: Exclude<ModelFacts["thinking"], undefined>;
  readonly price?: SnapshotPrice & {
    /** Prices for requests whose input exceeds `above` tokens. */
    readonly tiers?: readonly (SnapshotPrice & { readonly above: number })[];
  };
}
