/** A model as the snapshot has it: one line of a vendor's file. `scripts/update-models.ts` writes them. */
import type { ModelFacts } from "@capstan/kernel";

/** In dollars for a million tokens. */
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
  /** For people. */
  readonly name: string;
  readonly thinking?: Exclude<ModelFacts["thinking"], undefined>;
  readonly price?: SnapshotPrice & {
    /** For requests whose input has more tokens than that. */
    readonly tiers?: readonly (SnapshotPrice & { readonly above: number })[];
  };
}
