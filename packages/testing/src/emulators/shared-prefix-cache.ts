/** An automatic prompt cache: a prompt is cached up to the prefix it shares with an earlier one. */

export class SharedPrefixCache {
  readonly #minTokens: number;
  readonly #known = new Map<string, string[]>();

  constructor(minTokens: number) {
    this.#minTokens = minTokens;
  }

  /** Returns how many tokens of the prompt are cached for requests with this key. Nothing expires. */
  use(key: string, prompt: string): number {
    const earlier = this.#known.get(key) ?? [];
    const shared = Math.max(0, ...earlier.map((other) => sharedLength(other, prompt)));
    this.#known.set(key, [...earlier, prompt]);
    // The service caches prompts in pieces of this size.
    const tokens = Math.floor(shared / 4 / 128) * 128;
    return tokens >= this.#minTokens ? tokens : 0;
  }
}

function sharedLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
