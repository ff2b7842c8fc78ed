/** The client that a login is made as: a configured one, a metadata document, or one that is registered for it. */
import type { McpOAuthOptions } from "../options/server-options.ts";
import type { Sdk } from "../sdk/sdk.ts";
import type { Discovered } from "./discovery.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";
import { unionOf } from "./scopes.ts";
import type { Registration, StoredLogin } from "./token-store.ts";
import { plainIssuer } from "./token-store.ts";

export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod?: string;
  /** Present if it was registered for a login, this one or an earlier one. */
  readonly registration?: Registration;
}

export interface ClientRequest {
  readonly oauth: McpOAuthOptions;
  /** The client of an earlier login at this issuer. */
  readonly known: RegisteredClient | undefined;
  readonly discovered: Discovered;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly fetchFn: OAuthFetch;
}

export async function clientFor(
  { client: sdk }: Sdk,
  request: ClientRequest,
): Promise<OAuthClient> {
  const { oauth, known, discovered, redirectUrl, scope, fetchFn } = request;
  const { clientId, clientSecret, clientMetadataUrl } = oauth;
  if (clientId !== undefined) return { clientId, ...(clientSecret && { clientSecret }) };
  const { metadata } = discovered;
  if (takesDocument(oauth, discovered)) return { clientId: clientMetadataUrl ?? "" };
  if (known?.registration.redirectUrl === redirectUrl) return known;
  if (metadata.registration_endpoint === undefined) {
    throw new Error(`${metadata.issuer} registers no clients: configure oauth.clientId`);
  }
  const registered = await sdk.registerClient(metadata.issuer, {
    metadata,
    clientMetadata: {
      client_name: "Capstan",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
      token_endpoint_auth_method: methodFor(metadata.token_endpoint_auth_methods_supported),
    },
    ...(scope !== undefined && { scope }),
    fetchFn,
  });
  const { client_id, client_secret, token_endpoint_auth_method: authMethod } = registered;
  return {
    clientId: client_id,
    ...(client_secret !== undefined && { clientSecret: client_secret }),
    ...(authMethod !== undefined && { authMethod }),
    registration: { redirectUrl, ...(scope !== undefined && { scope }) },
  };
}

export interface RegisteredClient extends OAuthClient {
  readonly registration: Registration;
}

/** Finds a client among earlier logins that is registered at this issuer, for all of this scope and, if there is one, for the port. */
export function registeredClient(
  logins: Iterable<StoredLogin>,
  { oauth, discovered, scope }: Pick<ClientRequest, "oauth" | "discovered" | "scope">,
): RegisteredClient | undefined {
  if (oauth.clientId !== undefined || takesDocument(oauth, discovered)) return undefined;
  const issuer = plainIssuer(discovered.metadata.issuer);
  for (const { registration, clientId, clientSecret, authMethod, ...login } of logins) {
    if (registration === undefined || plainIssuer(login.issuer) !== issuer) continue;
    if (unionOf(registration.scope, scope) !== unionOf(registration.scope)) continue;
    if (oauth.redirectPort !== undefined && portOf(registration) !== oauth.redirectPort) continue;
    return {
      ...{ clientId, registration },
      ...(clientSecret !== undefined && { clientSecret }),
      ...(authMethod !== undefined && { authMethod }),
    };
  }
  return undefined;
}

export function portOf({ redirectUrl }: Registration): number {
  return Number(new URL(redirectUrl).port);
}

function takesDocument({ clientMetadataUrl }: McpOAuthOptions, { metadata }: Discovered): boolean {
  return clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true;
}

/** A client on the user's machine keeps no secret, unless the authorization server insists. */
function methodFor(supported: readonly string[] = ["none"]): string {
  return supported.includes("none") ? "none" : (supported[0] ?? "none");
}

/** The client as the SDK wants it. */
export function toClientInformation(client: OAuthClient | StoredLogin): {
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
} {
  const { clientId, clientSecret, authMethod } = client;
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
}
