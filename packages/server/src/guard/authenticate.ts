/** Authentication of requests. */
import { ServerError } from "./server-error.ts";

/** Authenticated caller of a request, and the application context for its turns. */
export interface Identity {
  /** Owner of this client's sessions. */
  readonly principal: string;
  /**
   * Application context of this request, for agents with an `appContext`: sessions are created with it, and each message runs with that of
   * its own request. Clients can neither set nor see it.
   */
  readonly app?: unknown;
}

/** Gets the whole request, with its headers and cookies. Returns undefined if it is not authenticated. */
export type Authenticate = (
  request: Request,
) => Identity | undefined | Promise<Identity | undefined>;

/**
 * Accepts tokens in the header `Authorization: Bearer …`, one per principal: `bearerTokens({ ann: process.env.ANNS_TOKEN })`. Throws at
 * once if a token is missing or too short: it would admit all clients, or none.
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
    // Compare all of them, so that the time reveals nothing.
    for (const { principal, token } of known) if (isSame(given, token)) found = { principal };
    return found;
  };
}

const minTokenChars = 16;

function weakToken(principal: string): ServerError {
  return new ServerError(
    "invalid_options",
    `The token of "${principal}" is missing or shorter than ${minTokenChars} characters: create one with crypto.randomUUID()`,
  );
}

function tokenOf({ headers }: Request): string | undefined {
  return /^Bearer +([\w.~+/=-]+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Compares every character, wherever the first difference is, so that the time does not reveal the token. */
function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ token.charCodeAt(index % token.length);
  }
  return difference === 0;
}
