/** Traits of each Claude model, by its family and version, as documented in November 2026. */

export type ThinkingType = "enabled" | "adaptive" | "disabled" | "between_tools";

export interface ModelTraits {
  readonly family: string;
  /** 4.5 is 405. */
  readonly version: number;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly maxImages: number;
  /** Accepted values of `thinking.type`. */
  readonly thinking: readonly ThinkingType[];
  readonly efforts: readonly string[];
  /** True if thinking comes without its text unless the request asks for it. */
  readonly hidesThinking: boolean;
  readonly takesSampling: boolean;
  readonly takesForcedTools: boolean;
  readonly takesPrefill: boolean;
  /** True if thinking is valid only after the exact conversation that it came from. */
  readonly bindsPrefix: boolean;
  readonly takesSystemMessages: boolean;
}

/** Undefined for a name that no Claude model has. */
export function modelTraits(model: string): ModelTraits | undefined {
  if (model === "claude-mythos-preview") return { ...traitsOf("mythos", 406), ...preview };
  const named =
    /^claude-(fable|mythos|opus|sonnet|haiku)-(\d+)(?:-(\d{1,2}))?(?:-(?:\d{8}|latest))?$/.exec(
      model,
    );
  if (named !== null) return traitsOf(named[1] ?? "", toVersion(named[2], named[3]));
  const old = /^claude-(\d+)(?:-(\d))?-(opus|sonnet|haiku)(?:-(?:\d{8}|latest))?$/.exec(model);
  return old === null ? undefined : traitsOf(old[3] ?? "", toVersion(old[1], old[2]));
}

/** Traits of the newest model: for other model names that a test allows. */
export const newestTraits: ModelTraits = traitsOf("opus", 505);

/** Whether a model may read another one's thinking. Unreadable thinking is dropped, never refused. */
export function canRead(reader: ModelTraits, author: ModelTraits): boolean {
  const isApart = ["fable", "mythos"].includes(author.family);
  if (reader.version < 501 && author.version < 501) return true;
  if (isApart && !["fable", "mythos"].includes(reader.family)) return false;
  return reader.version >= author.version;
}

const preview = {
  thinking: ["enabled", "adaptive"],
  takesForcedTools: false,
  hidesThinking: true,
} as const;

function toVersion(major = "0", minor = "0"): number {
  return Number(major) * 100 + Number(minor);
}

function traitsOf(family: string, version: number): ModelTraits {
  const isLarge = version >= 406;
  const isApart = family === "fable" || family === "mythos";
  return {
    family,
    version,
    contextWindow: isLarge ? 1_000_000 : 200_000,
    maxOutputTokens: maxOutputOf(family, version),
    maxImages: isLarge ? 600 : 100,
    thinking: thinkingOf(family, version),
    efforts: effortsOf(family, version),
    hidesThinking: version >= 407,
    takesSampling: version < 407,
    takesForcedTools: version < 501 || family === "haiku",
    takesPrefill: version < 406,
    bindsPrefix: version >= 501,
    takesSystemMessages:
      (isApart && version >= 500) || version >= 505 || (family === "opus" && version >= 408),
  };
}

function thinkingOf(family: string, version: number): readonly ThinkingType[] {
  if (version < 307) return [];
  if (version < 406) return ["enabled", "disabled"];
  if (version < 407) return ["enabled", "adaptive", "disabled"];
  if (family === "sonnet" && version >= 505) return ["adaptive", "between_tools"];
  const isAlwaysOn =
    family === "fable" || family === "mythos" || (family === "opus" && version >= 505);
  return isAlwaysOn ? ["adaptive"] : ["adaptive", "disabled"];
}

function effortsOf(family: string, version: number): readonly string[] {
  if (version >= 407) return ["low", "medium", "high", "xhigh", "max"];
  if (version === 406) return ["low", "medium", "high", "max"];
  return family === "opus" && version === 405 ? ["low", "medium", "high"] : [];
}

function maxOutputOf(family: string, version: number): number {
  if (version >= 406) return 128_000;
  if (version < 305) return 4_096;
  if (version < 307) return 8_192;
  return family === "opus" && version < 405 ? 32_000 : 64_000;
}
