/** Finds the authorization server of an MCP server, and checks what both say of themselves. */
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk/sdk.ts";
import type { Challenge } from "./challenge.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";
import { problemOfUrl } from "./oauth-fetch.ts";

export interface Discovered {
  readonly metadata: AuthorizationServerMetadata;
  /** Resource that tokens are asked for (RFC 8707). */
  readonly resource: string;
  /** Scopes that the MCP server lists. */
  readonly scopes: readonly string[];
}

/** Rejects if anything that is found cannot be trusted. */
export async function discover(
  sdk: Sdk,
  serverUrl: string,
  challenge: Challenge,
  fetchFn: OAuthFetch,
): Promise<Discovered> {
  const { client } = sdk;
  const found = await resourceMetadataOf(sdk, serverUrl, challenge, fetchFn);
  const own = client.resourceUrlFromServerUrl(serverUrl);
  if (found !== undefined) {
    const claim = { requestedResource: own, configuredResource: found.resource };
    if (!client.checkResourceAllowed(claim)) {
      throw new Error(`its metadata is about another resource, ${found.resource}`);
    }
  }
  const issuer = found?.authorization_servers?.[0] ?? new URL("/", serverUrl).href;
  // Rejects metadata of another issuer.
  const metadata = await client.discoverAuthorizationServerMetadata(issuer, { fetchFn });
  if (metadata === undefined) throw new Error(`${issuer} publishes no metadata for OAuth`);
  checkMetadata(metadata, serverUrl);
  return {
    metadata,
    resource: found?.resource ?? own.href,
    scopes: found?.scopes_supported ?? [],
  };
}

async function resourceMetadataOf(
  { client }: Sdk,
  serverUrl: string,
  { resourceMetadataUrl }: Challenge,
  fetchFn: OAuthFetch,
): Promise<ResourceMetadata | undefined> {
  let isMissing = false;
  const watched: OAuthFetch = async (url, init) => {
    const response = await fetchFn(url, init);
    isMissing = response.status === 404;
    return response;
  };
  try {
    const options = resourceMetadataUrl && { resourceMetadataUrl };
    return await client.discoverOAuthProtectedResourceMetadata(serverUrl, options, watched);
  } catch (thrown) {
    // Servers before 2025-06-18 have none, and are their own authorization servers.
    if (isMissing && resourceMetadataUrl === undefined) return undefined;
    throw thrown;
  }
}

interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers?: readonly string[] | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
}

function checkMetadata(metadata: AuthorizationServerMetadata, serverUrl: string): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    const problem = endpoint === undefined ? undefined : problemOfUrl(endpoint, serverUrl);
    if (problem !== undefined) throw new Error(problem);
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    throw new Error(`${metadata.issuer} does not support PKCE with S256, which is required`);
  }
}
