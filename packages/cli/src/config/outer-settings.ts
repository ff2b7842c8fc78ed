/** Settings from the environment and from flags. Errors name the variable or the flag. */
import { resolve } from "node:path";
import { isCapstanError } from "@capstan/kernel";
import type { z } from "zod";
import type { Rule } from "../permissions/rule.ts";
import { parseRule } from "../permissions/rule.ts";
import type { ConfigErrorCode } from "../errors/config-error.ts";
import { ConfigError } from "../errors/config-error.ts";
import type { Env } from "./env.ts";
import type { FileSettings } from "./schema.ts";
import { lookMs, maxCost, maxSteps, modelName, storePath, thinkingLevel } from "./values.ts";

/** As the user typed them. */
export interface FlagSettings {
  readonly model?: string;
  readonly thinking?: string;
  readonly maxCost?: string;
  readonly allow?: readonly string[];
  /** Relative paths start at the working folder. */
  readonly roots?: readonly string[];
  readonly deny?: readonly string[];
}

/** A variable set to an empty string counts as unset. Relative paths start at `cwd`. */
export function settingsOfEnv(env: Env, cwd: string): FileSettings {
  const get = <Value>(name: string, schema: z.ZodType<Value>, toValue = asIs): Value | undefined =>
    check("invalid_variable", name, env[name] || undefined, schema, toValue);
  const store = get("CAPSTAN_STORE", storePath);
  return present({
    model: get("CAPSTAN_MODEL", modelName),
    thinking: get("CAPSTAN_THINKING", thinkingLevel),
    maxCost: get("CAPSTAN_MAX_COST", maxCost, toNumber),
    maxSteps: get("CAPSTAN_MAX_STEPS", maxSteps, toNumber),
    lookMs: get("CAPSTAN_LOOK_MS", lookMs, toNumber),
    store: store === undefined ? undefined : resolve(cwd, store),
  });
}

export function settingsOfFlags(flags: FlagSettings): FileSettings {
  const allow = flags.allow?.map((text) => toRule("--allow", text));
  const deny = flags.deny?.map((text) => toRule("--deny", text));
  return present({
    model: check("invalid_flag", "--model", flags.model, modelName),
    thinking: check("invalid_flag", "--thinking", flags.thinking, thinkingLevel),
    maxCost: check("invalid_flag", "--max-cost", flags.maxCost, maxCost, toNumber),
    permissions: allow === undefined && deny === undefined ? undefined : present({ allow, deny }),
  });
}

function toRule(flag: string, text: string): Rule {
  try {
    return parseRule(text);
  } catch (cause) {
    if (!isCapstanError(cause)) throw cause;
    throw new ConfigError("invalid_flag", `${flag}: ${cause.message}`, { cause });
  }
}

function check<Value>(
  code: ConfigErrorCode,
  name: string,
  text: string | undefined,
  schema: z.ZodType<Value>,
  toValue: (text: string) => unknown = asIs,
): Value | undefined {
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(toValue(text));
  if (parsed.success) return parsed.data;
  const reason = parsed.error.issues[0]?.message ?? "is not allowed";
  throw new ConfigError(code, `${name} ${reason}, not ${JSON.stringify(text.slice(0, 80))}`);
}

function asIs(text: string): unknown {
  return text;
}

/** Accepts digits only: `Number` would take 0x10 and 1e3, and a space for 0. */
function toNumber(text: string): unknown {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

type Present<Fields> = { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function present<Fields extends object>(fields: Fields): Present<Fields> {
  // Without its undefined fields, the object matches the type.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
