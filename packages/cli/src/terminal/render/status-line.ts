/** The line below the prompt: model, context, cost, cache, queue. */
import type { Usage } from "@capstan/kernel";
import type { Typesetter } from "../screen/contracts.ts";
import type { Theme } from "./theme.ts";

export interface Status {
  readonly model: string;
  readonly folder: string;
  readonly contextWindow: number | undefined;
  /** Usage of the last reply. */
  readonly last: Usage | undefined;
  readonly total: Usage;
  /** US dollars. */
  readonly cost: number | undefined;
  readonly queued: number;
  /** Replaces everything else, for a moment. */
  readonly hint: string | undefined;
}

export function renderStatus(
  status: Status,
  width: number,
  { theme, typesetter }: { readonly theme: Theme; readonly typesetter: Typesetter },
): string {
  if (status.hint !== undefined) return theme.warning(typesetter.cut(status.hint, width));
  const { model, folder, cost, queued } = status;
  const parts = [
    model,
    contextOf(status),
    cost === undefined ? undefined : `$${cost.toFixed(cost < 1 ? 4 : 2)}`,
    cacheOf(status.total),
    queued === 0 ? undefined : `${queued} queued`,
    folder,
  ];
  const text = parts.filter((part) => part !== undefined).join(" · ");
  return theme.dim(typesetter.cut(text, width));
}

/** Share of the window that the next request takes at least. */
function contextOf({ last, contextWindow }: Status): string | undefined {
  if (last?.inputTokens === undefined) return undefined;
  const used = last.inputTokens + (last.outputTokens ?? 0);
  if (contextWindow === undefined) return `${used.toLocaleString("en-US")} tokens`;
  return `${Math.round((used / contextWindow) * 100)}% of context`;
}

function cacheOf({ inputTokens, cacheReadTokens }: Usage): string | undefined {
  if (inputTokens === undefined || inputTokens === 0 || cacheReadTokens === undefined) {
    return undefined;
  }
  return `${Math.round((cacheReadTokens / inputTokens) * 100)}% cached`;
}
