/** Cache markers: how far the vendor should keep a prompt in its cache. They do not affect cache hits. */
import type { CacheControl, TextBlock, UserBlock, WireMessage, WireTool } from "./request.ts";

const maxMarkers = 4;

export interface MarkablePrompt {
  readonly tools: readonly WireTool[];
  readonly system: readonly TextBlock[];
  readonly messages: readonly WireMessage[];
}

/**
 * Sets one after the constant head, and one after each of the last two user turns: the next request hits what this one wrote,
 * or, if that is gone, the step before it. The caller already uses `taken` of the four markers the vendor allows.
 */
export function markForCache(
  prompt: MarkablePrompt,
  marker: CacheControl,
  taken: number,
): MarkablePrompt {
  const { tools, system, messages } = prompt;
  const slots = maxMarkers - taken;
  const hasHead = system.length + tools.length > 0 && slots > 0;
  return {
    tools: hasHead && system.length === 0 ? markLast(tools, marker) : tools,
    system: hasHead ? markLast(system, marker) : system,
    messages: markTurns(messages, marker, Math.min(2, slots - (hasHead ? 1 : 0))),
  };
}

function markTurns(
  messages: readonly WireMessage[],
  marker: CacheControl,
  wanted: number,
): readonly WireMessage[] {
  const marked = [...messages];
  let left = wanted;
  for (let index = marked.length - 1; index >= 0 && left > 0; index--) {
    const message = marked[index];
    if (message?.role !== "user") continue;
    marked[index] = { role: "user", content: markLast<UserBlock>(message.content, marker) };
    left--;
  }
  return marked;
}

function markLast<Item extends { readonly cache_control?: CacheControl }>(
  items: readonly Item[],
  marker: CacheControl,
): readonly Item[] {
  const last = items.at(-1);
  return last === undefined ? items : [...items.slice(0, -1), { ...last, cache_control: marker }];
}
