/** Scopes: words that authorization servers and MCP servers choose. */

/** Longer ones come from a server that does not mean well. */
const maxChars = 2_000;
const maxScopes = 100;

/** Each scope once, in the order of their first mention; undefined if there is none. Words that cannot be scopes are left out. */
export function unionOf(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopes.flatMap((scope) => scope?.slice(0, maxChars).split(" ") ?? []);
  const union = [...new Set(words.filter(isScope))].slice(0, maxScopes);
  return union.length === 0 ? undefined : union.join(" ");
}

/** Characters of RFC 6749, section 3.3. */
function isScope(word: string): boolean {
  return /^[\u0021\u0023-\u005B\u005D-\u007E]+$/.test(word);
}
