/** Limits for tool outputs in the context. */

export interface OutputLimits {
  /**
   * Characters of one output. Of a longer one the model gets the beginning and the end, and the session keeps the whole. Default 70,000, or
   * a third of `maxTotalChars`, whichever is less.
   */
  readonly maxChars?: number;
  /**
   * Characters of all outputs together: above that, the oldest are evicted. Default 400,000, or as many as fit into half of the model's window,
   * whichever is less.
   */
  readonly maxTotalChars?: number;
  /** `false`: the model gets no `read_output` tool for omitted text. Default: it does, if it has any other tool. */
  readonly readTool?: boolean;
}

/** Limits of one turn. */
export type ResolvedLimits = Required<Omit<OutputLimits, "readTool">>;

const defaultMaxChars = 70_000;
const defaultMaxTotalChars = 400_000;
/** Characters per half token, the usual estimate. */
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
