/** Another access token for a login, from its authorization server. */
import { serializeError } from "@capstan/kernel";
import type { HttpServerOptions } from "../options/server-options.ts";
import type { Sdk } from "../sdk/sdk.ts";
import { toClientInformation } from "./oauth-client.ts";
import { oauthFetch } from "./oauth-fetch.ts";
import type { StoredLogin } from "./token-store.ts";
import { toTokenFields } from "./tokens.ts";

/** Errors of RFC 6749 that another attempt would get again. */
const finalErrors = new Set([
  ...["invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope"],
  ...["unsupported_grant_type", "invalid_request", "invalid_target"],
]);

/**
 * Returns the login with new tokens, or without a refresh token if that was refused: it is never sent again. Rejects if the authorization
 * server cannot be reached or fails.
 */
export async function refresh(
  { client: sdk }: Sdk,
  login: StoredLogin & { readonly refreshToken: string },
  { url, oauth }: HttpServerOptions,
  now: () => number,
): Promise<StoredLogin> {
  const clientSecret = oauth?.clientSecret;
  const { issuer, tokenEndpoint, authMethods, refreshToken, resource } = login;
  try {
    const issued = await sdk.refreshAuthorization(issuer, {
      metadata: {
        issuer,
        token_endpoint: tokenEndpoint,
        token_endpoint_auth_methods_supported: [...authMethods],
        // Not used for a refresh.
        authorization_endpoint: tokenEndpoint,
        response_types_supported: ["code"],
      },
      clientInformation: toClientInformation({ ...login, ...(clientSecret && { clientSecret }) }),
      refreshToken,
      resource,
      fetchFn: oauthFetch(url),
    });
    const { expiresAt: _end, refreshAt: _time, ...rest } = login;
    return { ...rest, ...toTokenFields(issued, login.scope, now()) };
  } catch (thrown) {
    if (!finalErrors.has(String((thrown as { readonly code?: unknown } | null)?.code))) {
      throw new Error(`${issuer} gives no new token: ${serializeError(thrown).message}`, {
        cause: thrown,
      });
    }
    const { refreshToken: _refused, ...rest } = login;
    return rest;
  }
}
