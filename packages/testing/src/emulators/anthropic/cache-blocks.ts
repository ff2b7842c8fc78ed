/** Pieces of a request that the prompt cache sees, with their markers. */
import { asText, isList, isObject, without } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { CacheBlock } from "../marked-prompt-cache.ts";
import { Refusal } from "../refusal.ts";
import { blocksOf } from "./messages-request.ts";
import type { MessagesRequest, Turn } from "./messages-request.ts";

const maxMarkers = 4;

/** Throws a `Refusal` for too many markers, or for one with a longer lifetime than an earlier one. */
export function toCacheBlocks(request: MessagesRequest, turns: readonly Turn[]): CacheBlock[] {
  const { model, tools = [], system = "", thinking, output_config, tool_choice } = request;
  const settings = { model, thinking, effort: output_config?.effort, tool_choice };
  const said = turns.flatMap(({ role, blocks }) =>
    blocks.map(({ block }) => ({ ...toCacheBlock(block), role })),
  );
  const blocks: CacheBlock[] = [
    { content: JSON.parse(JSON.stringify(settings)) },
    ...tools.map(toCacheBlock),
    ...(system === "" ? [] : blocksOf(system).map(toCacheBlock)),
    ...said.map(({ role, content, ttl }) => ({ content: [role, content], ttl })),
  ];
  checkMarkers(blocks, request);
  return withAutomaticMarker(blocks, request);
}

function toCacheBlock(block: JsonObject): CacheBlock {
  return { content: without("cache_control", block), ttl: ttlOf(block) };
}

/** A marker inside a tool result applies to the whole result. */
function ttlOf(block: JsonObject): string | undefined {
  const marker = block["cache_control"];
  if (isObject(marker)) return asText(marker["ttl"] ?? "5m");
  const { content } = block;
  if (block["type"] !== "tool_result" || !isList(content)) return undefined;
  return content.map((inner) => (isObject(inner) ? ttlOf(inner) : undefined)).find(Boolean);
}

function checkMarkers(blocks: readonly CacheBlock[], request: MessagesRequest): void {
  const ttls = blocks.flatMap(({ ttl }) => (ttl === undefined ? [] : [ttl]));
  const count = ttls.length + (request.cache_control ? 1 : 0);
  if (count > maxMarkers) {
    throw new Refusal(
      `A maximum of ${maxMarkers} blocks with cache_control may be provided. Found ${count}.`,
    );
  }
  const firstShort = ttls.indexOf("5m");
  if (firstShort === -1 || !ttls.slice(firstShort).includes("1h")) return;
  throw new Refusal(
    "cache_control: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  );
}

/** A marker on the whole request applies to its last block. */
function withAutomaticMarker(
  blocks: readonly CacheBlock[],
  { cache_control }: MessagesRequest,
): CacheBlock[] {
  const last = blocks.at(-1);
  if (!cache_control || last === undefined) return [...blocks];
  return [...blocks.slice(0, -1), { ...last, ttl: asText(cache_control["ttl"] ?? "5m") }];
}
