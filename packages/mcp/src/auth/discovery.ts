/** Finds the authorization server of an MCP server, and checks what both say of themselves. */
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk/sdk.ts";
import type { Challenge } from "./challenge.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";
import { problemOfUrl } from "./oauth-fetch.ts";
import type { ProtectedResource } from "./resource-metadata.ts";
import { protectedResourceOf } from "./resource-metadata.ts";

export interface Discovered extends Pick<ProtectedResource, "resource" | "scopes"> {
  readonly metadata: AuthorizationServerMetadata;
  /** Address of the server's metadata, if its challenge names one. */
  readonly metadataUrl?: string;
}

/** Rejects if anything that is found cannot be trusted. */
export async function discover(
  sdk: Sdk,
  serverUrl: string,
  { resourceMetadataUrl }: Challenge,
  fetchFn: OAuthFetch,
): Promise<Discovered> {
  const metadataUrl = resourceMetadataUrl?.href;
  const found = await protectedResourceOf(sdk, serverUrl, metadataUrl, fetchFn);
  const [issuer = ""] = found.issuers;
  // Rejects metadata of another issuer.
  const metadata = await sdk.client.discoverAuthorizationServerMetadata(issuer, { fetchFn });
  if (metadata === undefined) throw new Error(`${issuer} publishes no metadata for OAuth`);
  checkMetadata(metadata, serverUrl);
  const { resource, scopes } = found;
  return { metadata, resource, scopes, ...(metadataUrl !== undefined && { metadataUrl }) };
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
