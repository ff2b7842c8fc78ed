/** Traits of each Gemini model, by its name, as documented and observed in November 2026. */

export interface ModelTraits {
  /** 2.5 is 205. */
  readonly version: number;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Undefined if it accepts no budget. */
  readonly budget: { readonly min: number; readonly max: number } | undefined;
  /** True if thinking can be disabled. */
  readonly canRest: boolean;
  /** Empty if it accepts no level. */
  readonly levels: readonly string[];
  /** True if calls must be sent back with their signature. */
  readonly needsSignatures: boolean;
}

/** Undefined for a name that no model has. */
export function modelTraits(model: string): ModelTraits | undefined {
  const named = /^gemini-(?:(\d)(?:\.(\d))?-)?(pro|flash)(-lite)?((?:-[a-z0-9.]+)*)$/.exec(model);
  if (named === null) return undefined;
  const [, major, minor = "0", size = "", lite, suffix = ""] = named;
  // A name without a number is the latest.
  const version = major === undefined ? 305 : Number(major) * 100 + Number(minor);
  return traitsOf(version, { isPro: size === "pro", isLite: lite !== undefined, suffix });
}

/** Traits of the newest model: for other model names that a test allows. */
export const newestTraits: ModelTraits = traitsOf(305, { isPro: false, isLite: false, suffix: "" });

interface Variant {
  readonly isPro: boolean;
  readonly isLite: boolean;
  readonly suffix: string;
}

function traitsOf(version: number, variant: Variant): ModelTraits {
  return {
    version,
    contextWindow: 1_048_576,
    maxOutputTokens: version < 205 ? 8_192 : 65_536,
    budget: budgetOf(version, variant),
    canRest: version === 205 && !variant.isPro,
    levels: version < 300 ? [] : levelsOf(version, variant),
    needsSignatures: version >= 300 && !variant.suffix.includes("-image"),
  };
}

function budgetOf(version: number, { isPro, isLite }: Variant): ModelTraits["budget"] {
  if (version < 205) return undefined;
  if (isPro) return { min: 128, max: 32_768 };
  return { min: isLite ? 512 : 1, max: 24_576 };
}

function levelsOf(version: number, { isPro, isLite }: Variant): readonly string[] {
  if (isPro) return version < 301 ? ["LOW", "HIGH"] : ["LOW", "MEDIUM", "HIGH"];
  const levels = ["LOW", "MEDIUM", "HIGH"];
  return isLite || version < 307 ? ["MINIMAL", ...levels] : levels;
}
