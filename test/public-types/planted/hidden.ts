export interface Hidden {
  readonly kept: Kept;
}

export interface Kept {
  readonly n: number;
}

export interface Shown extends Hidden {
  /** @internal */
  readonly secret?: Kept;
}

/** Named by its file only, so it counts as written out. */
type Either<Value> = Value | Kept;

export function make(given: Either<Hidden>): Shown {
  return "n" in given ? { kept: given } : given;
}
