/** Schema of a settings file. `docs/configuration.md` describes each key. */
import type { TokenPrices } from "@capstan/core";
import { isCapstanError } from "@capstan/kernel";
import { z } from "zod";
import type { Rule } from "../permissions/rule.ts";
import { parseRule } from "../permissions/rule.ts";
import { mcpServers } from "./mcp-servers.ts";
import type {
  McpSettings,
  BashSettings,
  ModelSettings,
  ProviderSettings,
  Settings,
} from "./settings.ts";
import {
  filePath,
  lookMs,
  maxCost,
  maxSteps,
  modelName,
  storePath,
  thinkingLevel,
  wholeNumber,
} from "./values.ts";

/** All keys are optional. */
export interface FileSettings {
  /** For editors. */
  readonly $schema?: string;
  readonly model?: Settings["model"] & string;
  readonly thinking?: Settings["thinking"] & string;
  readonly maxCost?: number;
  readonly maxSteps?: number;
  readonly retry?: Partial<Settings["retry"]>;
  readonly deadlines?: Settings["deadlines"];
  readonly lookMs?: number;
  readonly planning?: Partial<Settings["planning"]>;
  readonly permissions?: Partial<Settings["permissions"]>;
  readonly roots?: readonly string[];
  readonly tools?: { readonly fetch?: boolean; readonly bash?: BashSettings };
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly mcp?: Partial<McpSettings>;
  readonly store?: string;
}

/** An object with these keys and no others. The message for an unknown key lists the known ones; the reader makes a sentence of it. */
function section<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? Object.keys(shape).join(" ") : "must be an object: { … }",
  });
}

function listOf<Item>(item: z.ZodType<Item>, most: number): z.ZodType<readonly Item[]> {
  return z
    .array(item, { error: "must be a list: [ … ]" })
    .max(most, { error: `must have at most ${most} items` });
}

const rule: z.ZodType<Rule> = z
  .string({ error: 'must be a rule in double quotes, such as "bash(npm test)"' })
  .transform((text, context) => {
    try {
      return parseRule(text);
    } catch (thrown) {
      if (!isCapstanError(thrown)) throw thrown;
      context.addIssue({ code: "custom", message: thrown.message });
      return z.NEVER;
    }
  });
const rules = listOf(rule, 500);

const dollars = z
  .number({ error: "must be a number of US dollars per million tokens" })
  .min(0, { error: "must not be below 0" });

const price: z.ZodType<TokenPrices> = section({
  inputPerMillion: dollars,
  outputPerMillion: dollars,
  cacheReadPerMillion: dollars.exactOptional(),
  cacheWritePerMillion: dollars.exactOptional(),
});

function milliseconds(least: number): z.ZodType<number> {
  return wholeNumber(least, oneDayMs);
}

const oneDayMs = 86_400_000;

const tokens = wholeNumber(1, 1_000_000_000);

const model: z.ZodType<ModelSettings> = section({
  id: modelName,
  contextWindow: tokens,
  maxOutput: tokens.exactOptional(),
  price: price.exactOptional(),
});

const headers = z.record(
  z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, { error: "is not a valid header name" }),
  z
    .string({ error: "must be a string in double quotes" })
    .regex(/^[\t\x20-\x7e\x80-\xff]{0,8000}$/, { error: "must be a header value on one line" }),
  { error: "must be an object of names and strings" },
);

const provider: z.ZodType<ProviderSettings> = section({
  protocol: z
    .enum(["openai-chat", "openai-responses", "anthropic-messages", "google-generate"], {
      error: "must be one of openai-chat, openai-responses, anthropic-messages, google-generate",
    })
    .exactOptional(),
  baseUrl: z
    .string({ error: "must be a URL in double quotes" })
    .refine(isBaseUrl, {
      error: "must be an http or https URL without user name, password and query",
    })
    .exactOptional(),
  keyVariable: z
    .string({ error: "must be the name of a variable in double quotes" })
    .regex(/^[A-Za-z_]\w{0,199}$/, {
      error: "must be the name of an environment variable that holds the key, not the key",
    })
    .exactOptional(),
  headers: headers.exactOptional(),
  models: listOf(model, 1000).exactOptional(),
});

const host = z
  .string({ error: "must be a host in double quotes, such as registry.npmjs.org" })
  .regex(/^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i, {
    error: "must be the name of a host, without a scheme, a port and a path",
  });
const networkError = 'must be "open", "none" or a list of hosts';

const bash: z.ZodType<BashSettings> = section({
  timeoutMs: wholeNumber(1, 600_000).exactOptional(),
  sandbox: z
    .enum(["off", "write", "strict"], { error: "must be one of off, write, strict" })
    .exactOptional(),
  writable: listOf(filePath("a file or folder"), 50).exactOptional(),
  network: z
    .union([z.enum(["open", "none"]), z.array(host).max(500)], { error: networkError })
    .exactOptional(),
  passEnv: listOf(
    z
      .string({ error: "must be the name of a variable in double quotes" })
      .regex(/^[A-Za-z_]\w{0,199}$/, { error: "must be the name of an environment variable" }),
    200,
  ).exactOptional(),
});

function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

export const fileSchema: z.ZodType<FileSettings> = section({
  $schema: z.string({ error: "must be a string in double quotes" }).exactOptional(),
  model: modelName.exactOptional(),
  thinking: thinkingLevel.exactOptional(),
  maxCost: maxCost.exactOptional(),
  maxSteps: maxSteps.exactOptional(),
  retry: section({
    maxAttempts: wholeNumber(1, 1_000).exactOptional(),
    maxTotalMs: milliseconds(0).exactOptional(),
    baseDelayMs: milliseconds(0).exactOptional(),
    maxDelayMs: milliseconds(0).exactOptional(),
    maxRetryAfterMs: milliseconds(0).exactOptional(),
  }).exactOptional(),
  deadlines: section({
    firstPartMs: milliseconds(1).exactOptional(),
    betweenPartsMs: milliseconds(1).exactOptional(),
    contentMs: milliseconds(1).exactOptional(),
    attemptMs: milliseconds(1).exactOptional(),
    turnMs: milliseconds(1).exactOptional(),
    toolMs: milliseconds(1).exactOptional(),
  }).exactOptional(),
  lookMs: lookMs.exactOptional(),
  planning: section({ maxContinuations: wholeNumber(0, 20).exactOptional() }).exactOptional(),
  permissions: section({
    allow: rules.exactOptional(),
    ask: rules.exactOptional(),
    deny: rules.exactOptional(),
  }).exactOptional(),
  roots: listOf(filePath("a folder"), 50).exactOptional(),
  tools: section({
    fetch: z.boolean({ error: "must be true or false" }).exactOptional(),
    bash: bash.exactOptional(),
  }).exactOptional(),
  providers: z
    .record(
      z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, {
        error: "is not a valid vendor id: use lower-case letters, digits, - and _",
      }),
      provider,
      { error: "must be an object, with a key for each vendor" },
    )
    .exactOptional(),
  mcp: section({
    servers: mcpServers.exactOptional(),
    toolSearch: z
      .enum(["auto", "always", "never"], { error: "must be auto, always or never" })
      .exactOptional(),
    toolSearchShare: z
      .number({ error: "must be a number from 0 to 1" })
      .min(0, { error: "must be at least 0" })
      .max(1, { error: "must be at most 1" })
      .exactOptional(),
  }).exactOptional(),
  store: storePath.exactOptional(),
});
