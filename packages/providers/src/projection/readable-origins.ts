/**
 * Which target may read the vendor-specific data of a reply: signatures, encrypted reasoning, item ids, server tools and their
 * results. Decided for each request, so a conversation that returns to a model finds its data unchanged.
 */
import type { Origin } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";

/** Readers of the data: every model of the vendor that made it, or only the model itself and those the row lists. */
type Readers = "vendor" | "model";

/** Models that can read other models' thinking, by name without date. */
interface ReadsOthers {
  readonly target: RegExp;
  readonly origin: RegExp;
}

interface ReadableOrigin {
  /** Native parts, provider-run calls, and the provider data of texts, refusals and calls. */
  readonly native: Readers;
  readonly thinking: Readers;
  readonly readsOthers?: readonly ReadsOthers[];
}

/**
 * A row per protocol. Between protocols, between vendors of one protocol, and between hosts of one vendor, nothing native is readable: thinking
 * is dropped, text stays text, a refusal becomes text if the protocol has none, calls get our ids, and provider-run calls are left out.
 */
const readableOrigins: Readonly<Record<string, ReadableOrigin>> = {
  "anthropic-messages": {
    native: "vendor",
    // Signatures are valid on every platform, but only for models that may read the block. The vendor drops other blocks; earlier
    // versions of its API rejected them. Which models read which: platform.claude.com, "Preserved thinking", 2026-11.
    thinking: "model",
    readsOthers: [
      { target: /^claude-(fable|mythos)-5-[12]$/, origin: /^claude-(fable|mythos)-5-1$/ },
      {
        target: /^claude-(fable|mythos)-5-[12]$/,
        origin: /^claude-((opus|sonnet|fable|mythos)-5|opus-5-5|(opus|sonnet|haiku)-4(-\d)?)$/,
      },
      {
        target: /^claude-opus-5-5$/,
        origin: /^claude-((opus|sonnet)-5|(opus|sonnet|haiku)-4(-\d)?)$/,
      },
      {
        target: /^claude-sonnet-5-5$/,
        origin: /^claude-(sonnet-5|(opus|sonnet|haiku)-4(-\d)?)$/,
      },
    ],
  },
  // An item id or a `phase` means nothing to another OpenAI model, but does no harm; one model's encrypted reasoning is
  // rejected by the next. The protocol itself ensures that a reasoning item goes only with the item that follows it.
  "openai-responses": { native: "vendor", thinking: "model" },
  // Servers of all kinds implement it: one server's reasoning means nothing to the next.
  "openai-chat": { native: "model", thinking: "model" },
  // A thought signature belongs to the model. For other models' calls, the protocol itself sends a dummy.
  "google-generate": { native: "model", thinking: "model" },
  // Could be any vendor: what its models can read of each other is unknown.
  "ai-sdk": { native: "model", thinking: "model" },
};

/** Parts of a reply that a target may read. Its protocol downgrades the rest. */
export interface Readable {
  readonly native: boolean;
  readonly thinking: boolean;
}

const nothing: Readable = { native: false, thinking: false };

/** Returns what `target` may read of a reply from `origin`. */
export function readableOf(origin: Origin | undefined, target: TargetOrigin): Readable {
  if (origin?.provider !== target.provider || origin.api !== target.api) return nothing;
  if (isElsewhere(origin, target)) return nothing;
  const row = readableOrigins[target.api];
  if (row === undefined) return nothing;
  const from = modelName(origin.model ?? "");
  const to = modelName(target.model);
  const isModel = from === to;
  const isListed = row.readsOthers?.some((rule) => rule.target.test(to) && rule.origin.test(from));
  return {
    native: isModel || row.native === "vendor",
    thinking: isModel || row.thinking === "vendor" || isListed === true,
  };
}

/** A reply without a recorded host counts as the target's: it was sent there before, too. */
function isElsewhere({ host }: Origin, target: TargetOrigin): boolean {
  return host !== undefined && target.host !== undefined && host !== target.host;
}

/** The model's name without release date, `-latest` or `-0`. */
function modelName(model: string): string {
  return model
    .toLowerCase()
    .replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "")
    .replace(/-0$/, "");
}
