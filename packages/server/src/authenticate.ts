/** Who sends a request. */
import { ServerError } from "./server-error.ts";

export interface Identity {
  /** Who the sessions of this client belong to. */
  readonly principal: string;
}

/** Undefined for a request that proves nothing. */
export type Authenticate = (
  request: Request,
) => Identity | undefined | Promise<Identity | undefined>;

/**
 * Tokens in the header `Authorization: Bearer …`, by the principal that each is for: `bearerTokens({ ann: process.env.ANNS_TOKEN })`. A token
 * that is empty or undefined throws at once: it would let everybody in, or nobody.
 */
export function bearerTokens(tokens: Readonly<Record<string, string | undefined>>): Authenticate {
  const known = Object.entries(tokens).map(([principal, token]) => {
    if (token === undefined || token.length < minTokenChars) throw weakToken(principal);
    return { principal, digest: digestOf(token) };
  });
  return async (request) => {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    const digest = await digestOf(token);
    let found: Identity | undefined;
    // All of them, whichever fits: how long it takes says nothing.
    for (const { principal, digest: expected } of known) {
      if (isSame(digest, await expected)) found = { principal };
    }
    return found;
  };
}

const minTokenChars = 16;

function weakToken(principal: string): ServerError {
  return new ServerError(
    "invalid_options",
    `The token of "${principal}" is missing or has fewer than ${minTokenChars} characters: make one with crypto.randomUUID()`,
  );
}

function tokenOf({ headers }: Request): string | undefined {
  return /^Bearer +([\w.~+/=-]+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Of equal length for all tokens, and nothing that can be guessed byte by byte. */
async function digestOf(token: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0;
  for (const [place, byte] of a.entries()) difference |= byte ^ (b[place] ?? 0);
  return difference === 0;
}
