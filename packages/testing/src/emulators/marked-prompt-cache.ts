/** A prompt cache with markers in the request: it stores the prefix before each marker, and finds it again. */
import type { JsonValue } from "@capstan/kernel";
import { digest } from "./sealer.ts";
import { estimateTokens } from "./token-estimate.ts";

/** A piece of a prompt, in the order in which the service reads them. */
export interface CacheBlock {
  readonly content: JsonValue;
  /** Lifetime of the prefix that ends here; undefined without a marker. */
  readonly ttl?: string | undefined;
}

export interface CacheUse {
  readonly total: number;
  readonly read: number;
  /** By lifetime. */
  readonly written: Readonly<Record<string, number>>;
}

/** How far before a marker the service looks for a cached prefix. */
const lookback = 20;

export class MarkedPromptCache {
  readonly #minTokens: number;
  readonly #kept = new Set<string>();

  constructor(minTokens: number) {
    this.#minTokens = minTokens;
  }

  /** Nothing expires: there is no clock here. */
  use(blocks: readonly CacheBlock[]): CacheUse {
    const ends = endsOf(blocks);
    const markers = ends.filter(
      ({ ttl, tokens }) => ttl !== undefined && tokens >= this.#minTokens,
    );
    const found = ends.findLast(
      ({ name, at }) =>
        this.#kept.has(name) &&
        markers.some((marker) => marker.at >= at && marker.at - at <= lookback),
    );
    const read = found?.tokens ?? 0;
    const written: Record<string, number> = {};
    let kept = read;
    for (const { name, tokens, ttl = "5m" } of markers) {
      this.#kept.add(name);
      if (tokens <= kept) continue;
      written[ttl] = (written[ttl] ?? 0) + tokens - kept;
      kept = tokens;
    }
    return { total: ends.at(-1)?.tokens ?? 0, read, written };
  }
}

interface PrefixEnd {
  readonly at: number;
  /** Hash of the prefix up to here. */
  readonly name: string;
  readonly tokens: number;
  readonly ttl: string | undefined;
}

function endsOf(blocks: readonly CacheBlock[]): PrefixEnd[] {
  let name = "";
  let tokens = 0;
  return blocks.map(({ content, ttl }, at) => {
    name = digest([name, content]);
    tokens += estimateTokens(content);
    return { at, name, tokens, ttl };
  });
}
