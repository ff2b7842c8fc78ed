/**
 * Which target may read what a reply has kept for its own vendor: signatures, encrypted reasoning, item ids, server tools and their
 * results. Decided anew for each request, so a conversation that comes back to a model finds everything as it left it.
 */
import type { Origin } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";

/** Who may read a thing: every model of the vendor that made it, or only the model itself and those that the row lists. */
type Readers = "vendor" | "model";

/** Models that read the thinking of others, by their names without dates. */
interface ReadsOthers {
  readonly target: RegExp;
  readonly origin: RegExp;
}

interface ReadableOrigin {
  /** Native parts, calls that the provider ran, and the provider data of texts, refusals and calls. */
  readonly native: Readers;
  readonly thinking: Readers;
  readonly readsOthers?: readonly ReadsOthers[];
}

/**
 * A row for each protocol. Between protocols, between vendors of one protocol, and between hosts of one vendor, nothing native is readable: thinking is dropped,
 * text stays text, a refusal becomes text if the protocol has none, calls get ids of ours, and what a provider ran by itself is left out.
 */
const readableOrigins: Readonly<Record<string, ReadableOrigin>> = {
  "anthropic-messages": {
    native: "vendor",
    // Signatures hold on every platform, but for the models that may read the block only. The vendor drops the others, and earlier
    // versions of it refused them. Which models read which: platform.claude.com, "Preserved thinking", 2026-11.
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
  // An item id or a `phase` is nothing to another model of OpenAI either, but does no harm; encrypted reasoning of one model is
  // refused by the next. That a reasoning item goes only with the item that follows it is the protocol's own business.
  "openai-responses": { native: "vendor", thinking: "model" },
  // Servers of all kinds speak it: what one calls reasoning the next does not know.
  "openai-chat": { native: "model", thinking: "model" },
  // A thought signature belongs to the model. For calls of others there is a dummy, which is the protocol's own business.
  "google-generate": { native: "model", thinking: "model" },
  // Any vendor at all: what its models can read of each other is not known.
  "ai-sdk": { native: "model", thinking: "model" },
};

/** What a target may read of a reply. What it may not is downgraded by its protocol. */
export interface Readable {
  readonly native: boolean;
  readonly thinking: boolean;
}

const nothing: Readable = { native: false, thinking: false };

/** What `target` may read of a reply that came from `origin`. */
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

/** A reply whose host was not recorded counts as one of the target's: it was sent there before, too. */
function isElsewhere({ host }: Origin, target: TargetOrigin): boolean {
  return host !== undefined && target.host !== undefined && host !== target.host;
}

/** A model's name without the date of its release, and without the words for the newest one and for the first. */
function modelName(model: string): string {
  return model
    .toLowerCase()
    .replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "")
    .replace(/-0$/, "");
}
