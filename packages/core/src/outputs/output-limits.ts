/** How much of what tools give a model is shown. */

export interface OutputLimits {
  /**
   * Characters of one output: of a longer one the model gets the beginning and the end, and the session keeps it whole. Default 70,000, or
   * a third of `maxTotalChars`, whichever is less.
   */
  readonly maxChars?: number;
  /**
   * Characters of all outputs together: if they are more, the oldest are left out. Default 400,000, or as many as half of the model's window
   * holds, whichever is less.
   */
  readonly maxTotalChars?: number;
  /** `false`: the model gets no tool `read_output` to read what was left out. Default: it does, if it has any other tool. */
  readonly readTool?: boolean;
}

/** What holds for one turn. */
export type ResolvedLimits = Required<Omit<OutputLimits, "readTool">>;

const defaultMaxChars = 70_000;
const defaultMaxTotalChars = 400_000;
/** Characters that stand for half a token, as they are counted everywhere where nobody knows better. */
const charsOfHalfAToken = 2;

export function resolveLimits(
  limits: OutputLimits | undefined,
  contextWindow: number | undefined,
): ResolvedLimits {
  if (limits === undefined && contextWindow === undefined) return defaults;
  const budgetChars = (contextWindow ?? Infinity) * charsOfHalfAToken;
  const maxTotalChars = limits?.maxTotalChars ?? Math.min(defaultMaxTotalChars, budgetChars);
  const maxChars = limits?.maxChars ?? Math.min(defaultMaxChars, Math.floor(maxTotalChars / 3));
  return { maxChars, maxTotalChars };
}

const defaults: ResolvedLimits = {
  maxChars: defaultMaxChars,
  maxTotalChars: defaultMaxTotalChars,
};
