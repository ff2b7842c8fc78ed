/** Metadata of an MCP server as a protected resource (RFC 9728): which authorization servers issue tokens for it. */
import type { Sdk } from "../sdk/sdk.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";

export interface ProtectedResource {
  /** Identifiers of its authorization servers. A server before 2025-06-18 is its own. */
  readonly issuers: readonly string[];
  /** Resource that tokens are asked for (RFC 8707). */
  readonly resource: string;
  /** Scopes that the server lists. */
  readonly scopes: readonly string[];
}

/** `metadataUrl`: the address that the server's challenge names; otherwise the well-known ones are asked. Rejects metadata about another server. */
export async function protectedResourceOf(
  { client }: Sdk,
  serverUrl: string,
  metadataUrl: string | undefined,
  fetchFn: OAuthFetch,
): Promise<ProtectedResource> {
  const found = await metadataOf(client, serverUrl, metadataUrl, fetchFn);
  const own = client.resourceUrlFromServerUrl(serverUrl);
  if (found !== undefined) {
    const claim = { requestedResource: own, configuredResource: found.resource };
    if (!client.checkResourceAllowed(claim)) {
      throw new Error(`its metadata is about another resource, ${found.resource}`);
    }
  }
  const listed = found?.authorization_servers ?? [];
  return {
    issuers: listed.length > 0 ? listed : [new URL("/", serverUrl).href],
    resource: found?.resource ?? own.href,
    scopes: found?.scopes_supported ?? [],
  };
}

async function metadataOf(
  client: Sdk["client"],
  serverUrl: string,
  metadataUrl: string | undefined,
  fetchFn: OAuthFetch,
): Promise<Metadata | undefined> {
  let isMissing = false;
  const watched: OAuthFetch = async (url, init) => {
    const response = await fetchFn(url, init);
    isMissing = response.status === 404;
    return response;
  };
  try {
    const options = metadataUrl === undefined ? undefined : { resourceMetadataUrl: metadataUrl };
    return await client.discoverOAuthProtectedResourceMetadata(serverUrl, options, watched);
  } catch (thrown) {
    if (isMissing && metadataUrl === undefined) return undefined;
    throw thrown;
  }
}

interface Metadata {
  readonly resource: string;
  readonly authorization_servers?: readonly string[] | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
}
