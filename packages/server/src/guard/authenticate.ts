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
    return { principal, token };
  });
  return (request) => {
    const given = tokenOf(request);
    if (given === undefined) return undefined;
    let found: Identity | undefined;
    // All of them, whichever fits: how long it takes says nothing.
    for (const { principal, token } of known) if (isSame(given, token)) found = { principal };
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

/** Looks at every character, wherever the first difference is: nothing can be guessed from the time, one by one. */
function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let place = 0; place < given.length; place++) {
    difference |= given.charCodeAt(place) ^ token.charCodeAt(place % token.length);
  }
  return difference === 0;
}
