/** Finds the login for a server: by the issuer and the resource that the server names now, never by those that it named once. */
import type { HttpServerOptions } from "../options/server-options.ts";
import type { Sdk } from "../sdk/sdk.ts";
import { oauthFetch } from "./oauth-fetch.ts";
import { protectedResourceOf } from "./resource-metadata.ts";
import type { StoredLogin, TokenStore } from "./token-store.ts";
import { loginKey } from "./token-store.ts";

/** Logins that may be for the server: made for its address, or for a resource that it may be part of. The server decides which one is. */
export async function candidatesFor(
  { client }: Sdk,
  { url, oauth }: HttpServerOptions,
  store: TokenStore,
): Promise<readonly (readonly [string, StoredLogin])[]> {
  const { href } = new URL(url);
  const requestedResource = client.resourceUrlFromServerUrl(url);
  return [...(await store.list())].filter(([key, { server, issuer, resource }]) => {
    if (key !== loginKey(issuer, resource, oauth?.clientId)) return false;
    const claim = { requestedResource, configuredResource: resource };
    return server === href || client.checkResourceAllowed(claim);
  });
}

/**
 * Asks the server for its issuers and its resource. Resolves with the key of the login with one of them, whether there is such a login or not.
 * `metadataUrl`: the address of the metadata, as the server names it.
 */
export async function findKey(
  sdk: Sdk,
  { url, oauth }: HttpServerOptions,
  store: TokenStore,
  metadataUrl: string | undefined,
): Promise<string> {
  const found = await protectedResourceOf(sdk, url, metadataUrl, oauthFetch(url));
  const keys = found.issuers.map((issuer) => loginKey(issuer, found.resource, oauth?.clientId));
  const known = await store.list();
  return keys.find((key) => known.has(key)) ?? keys[0] ?? "";
}
