/** Markers that tell the vendor how far to keep a prompt in its cache. They are no part of what it compares. */
import type { CacheControl, TextBlock, UserBlock, WireMessage, WireTool } from "./request.ts";

const maxMarkers = 4;

export interface MarkablePrompt {
  readonly tools: readonly WireTool[];
  readonly system: readonly TextBlock[];
  readonly messages: readonly WireMessage[];
}

/**
 * One behind what never changes, and one behind each of the last two turns of the user: the next request finds what this one wrote, and
 * finds the step before it should that be gone. `taken` of the four that the vendor allows are the caller's.
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
