/** Traits of each model of the Responses API, by its name, as documented and observed in November 2026. */

export interface ModelTraits {
  /** 5.4 is 504; the o series is below all others. */
  readonly version: number;
  readonly contextWindow: number;
  /** Empty for a model that does not reason. */
  readonly efforts: readonly string[];
  /** Null for a model that does not reason. */
  readonly usualEffort: string | null;
  /** True if its messages tell the final answer from commentary. */
  readonly hasPhases: boolean;
  /** True if writes to its prompt cache are counted. */
  readonly countsCacheWrites: boolean;
}

/** Undefined for a name that no model has. */
export function modelTraits(model: string): ModelTraits | undefined {
  if (/^o\d(-[a-z0-9-]+)?$/.test(model)) return traitsOf(100, "", ["low", "medium", "high"]);
  const named = /^gpt-(\d)(?:\.(\d))?o?((?:-[a-z0-9]+)*)$/.exec(model);
  if (named === null) return undefined;
  const [, major = "0", minor = "0", variant = ""] = named;
  const version = Number(major) * 100 + Number(minor);
  return traitsOf(version, variant, effortsOf(version, variant));
}

function traitsOf(version: number, variant: string, efforts: readonly string[]): ModelTraits {
  return {
    version,
    contextWindow: windowOf(version),
    efforts,
    usualEffort: usualEffortOf(version, efforts),
    hasPhases: version >= 504 || (version === 503 && variant.startsWith("-codex")),
    countsCacheWrites: version >= 506,
  };
}

function effortsOf(version: number, variant: string): readonly string[] {
  if (version < 500 || variant.startsWith("-chat")) return [];
  if (variant.startsWith("-pro")) {
    return version < 502 ? ["high"] : ["medium", "high", "xhigh"];
  }
  const usual = ["low", "medium", "high"];
  const isCodex = variant.startsWith("-codex");
  if (version === 500) return isCodex ? usual : ["minimal", ...usual];
  if (variant === "-codex-max") return [...usual, "xhigh"];
  if (version === 501) return isCodex ? usual : ["none", ...usual];
  const more = [...usual, "xhigh", ...(version >= 506 ? ["max"] : [])];
  return isCodex && version < 503 ? more : ["none", ...more];
}

/** Some versions did not reason by default. */
function usualEffortOf(version: number, efforts: readonly string[]): string | null {
  if (efforts.length === 0) return null;
  if (version > 500 && version < 505 && efforts.includes("none")) return "none";
  return efforts.includes("medium") ? "medium" : "high";
}

function windowOf(version: number): number {
  if (version >= 500) return 400_000;
  if (version === 401) return 1_047_576;
  return version === 100 ? 200_000 : 128_000;
}

/** Traits of the newest model: for other model names that a test allows. */
export const newestTraits: ModelTraits = traitsOf(506, "", effortsOf(506, ""));
