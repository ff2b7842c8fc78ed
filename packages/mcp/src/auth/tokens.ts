/** Answers of token endpoints, as they are stored. */
import type { StoredLogin } from "./token-store.ts";

interface IssuedTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

type TokenFields = Pick<
  StoredLogin,
  "accessToken" | "refreshToken" | "expiresAt" | "refreshAt" | "scope"
>;

/** How long before its end an access token is replaced; half its life, if that is shorter. */
const marginMs = 60_000;

/** Throws if the token is not a bearer token, or cannot be sent. */
export function toTokenFields(
  issued: IssuedTokens,
  askedScope: string | undefined,
  now: number,
): TokenFields {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in } = issued;
  if (issued.token_type.toLowerCase() !== "bearer") {
    throw new Error(`the token is of the type "${issued.token_type.slice(0, 40)}", not bearer`);
  }
  if (!/^[\u0021-\u007E]+$/.test(accessToken)) throw new Error("the token is not one");
  const scope = issued.scope ?? askedScope;
  const lifeMs = (expires_in ?? 0) * 1_000;
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(lifeMs > 0 && {
      expiresAt: now + lifeMs,
      refreshAt: now + lifeMs - Math.min(marginMs, lifeMs / 2),
    }),
    ...(scope !== undefined && { scope }),
  };
}
