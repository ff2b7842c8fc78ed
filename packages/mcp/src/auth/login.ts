/** A login: from the address of an MCP server to tokens for it. */
import { randomBytes } from "node:crypto";
import type { HttpServerOptions } from "../options/server-options.ts";
import type { Sdk } from "../sdk/sdk.ts";
import { listenForCallback } from "./callback.ts";
import type { Callback } from "./callback.ts";
import { challengeOf } from "./challenge.ts";
import type { Discovered } from "./discovery.ts";
import { discover } from "./discovery.ts";
import type { OAuthClient, RegisteredClient } from "./oauth-client.ts";
import { clientFor, portOf, registeredClient, toClientInformation } from "./oauth-client.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";
import { oauthFetch } from "./oauth-fetch.ts";
import { unionOf } from "./scopes.ts";
import type { StoredLogin, TokenStore } from "./token-store.ts";
import { loginKey } from "./token-store.ts";
import { toTokenFields } from "./tokens.ts";

export interface LoginRequest {
  readonly options: HttpServerOptions;
  readonly store: TokenStore;
  /** Shows the page of the authorization server to the user. */
  open(url: string): void | Promise<void>;
  now(): number;
  /** Ends the login, also after its time limit. */
  readonly signal: AbortSignal;
}

/** Resolves with the login and its key. */
export async function logIn(sdk: Sdk, request: LoginRequest): Promise<[string, StoredLogin]> {
  const { options, store, signal } = request;
  const { url, oauth = {} } = options;
  // A broken store is found before the user is asked for anything.
  const logins = await store.list();
  const fetchFn = oauthFetch(url, signal);
  const challenge = await unlessAborted(challengeOf(sdk, options), signal);
  const discovered = await discover(sdk, url, challenge, fetchFn);
  const key = loginKey(discovered.metadata.issuer, discovered.resource, oauth.clientId);
  const scope = scopeFor(request, challenge.scope, discovered, logins.get(key));
  const known = registeredClient(logins.values(), { oauth, discovered, scope });
  const state = randomBytes(32).toString("base64url");
  const callback = await listen(state, oauth.redirectPort, known);
  try {
    const { redirectUrl } = callback;
    const client = await clientFor(sdk, { oauth, known, discovered, redirectUrl, scope, fetchFn });
    const prepared = { callback, state, discovered, scope, client, fetchFn };
    return [key, await authorize(sdk, request, prepared)];
  } catch (thrown) {
    // The authorization server may have forgotten the client, and shows that to the user alone: the next login registers another one.
    if (known !== undefined) await forgetRegistration(store, logins, known.clientId);
    throw thrown;
  } finally {
    callback.close();
  }
}

/** On the port that a known client is registered with, if that is free. */
async function listen(
  state: string,
  port: number | undefined,
  known: RegisteredClient | undefined,
): Promise<Callback> {
  if (port !== undefined || known === undefined) return listenForCallback(state, port);
  try {
    return await listenForCallback(state, portOf(known.registration));
  } catch {
    // Another program has the port by now, and another client is registered for another one.
    return listenForCallback(state);
  }
}

async function forgetRegistration(
  store: TokenStore,
  logins: ReadonlyMap<string, StoredLogin>,
  clientId: string,
): Promise<void> {
  for (const [key, login] of logins) {
    if (login.clientId !== clientId) continue;
    await store.update(key, async (current) => {
      if (current === undefined) return undefined;
      const { registration: _refused, ...rest } = current;
      return rest;
    });
  }
}

interface Prepared {
  readonly callback: Callback;
  readonly state: string;
  readonly discovered: Discovered;
  readonly scope: string | undefined;
  readonly client: OAuthClient;
  readonly fetchFn: OAuthFetch;
}

async function authorize(
  { client: sdk }: Sdk,
  request: LoginRequest,
  { callback, state, discovered, scope, client, fetchFn }: Prepared,
): Promise<StoredLogin> {
  const { metadata, resource } = discovered;
  const { redirectUrl } = callback;
  const asked = { metadata, clientInformation: toClientInformation(client), resource };
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(metadata.issuer, {
    ...{ ...asked, redirectUrl, state },
    ...(scope !== undefined && { scope }),
  });
  await request.open(authorizationUrl.href);
  const params = await unlessAborted(callback.params, request.signal);
  const iss = params.get("iss") ?? undefined;
  // Checked before anything else of the redirect is believed (RFC 9207).
  sdk.validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata.issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
  const issued = await sdk.exchangeAuthorization(metadata.issuer, {
    ...{ ...asked, authorizationCode: codeOf(params), codeVerifier, redirectUri: redirectUrl },
    ...(iss !== undefined && { iss }),
    fetchFn,
  });
  return toLogin(request, discovered, client, toTokenFields(issued, scope, request.now()));
}

function toLogin(
  { options: { url, oauth } }: LoginRequest,
  { metadata, resource, metadataUrl }: Discovered,
  { clientSecret, ...client }: OAuthClient,
  tokens: ReturnType<typeof toTokenFields>,
): StoredLogin {
  return {
    server: new URL(url).href,
    issuer: metadata.issuer,
    tokenEndpoint: metadata.token_endpoint,
    authMethods: metadata.token_endpoint_auth_methods_supported ?? [],
    resource,
    ...(metadataUrl !== undefined && { metadataUrl }),
    ...client,
    ...(clientSecret !== undefined && oauth?.clientSecret === undefined && { clientSecret }),
    ...tokens,
  };
}

function codeOf(params: URLSearchParams): string {
  const error = params.get("error");
  if (error !== null) {
    const description = params.get("error_description");
    throw new Error(
      `the authorization server answers ${error}${description ? `: ${description}` : ""}`,
    );
  }
  const code = params.get("code");
  if (code === null || code === "") throw new Error("the redirect has no code");
  return code;
}

/** The configuration decides; else the server's demand, or what it lists. A refresh token is asked for if that takes a scope. */
function scopeFor(
  { options }: LoginRequest,
  demanded: string | undefined,
  { metadata, scopes }: Discovered,
  previous: StoredLogin | undefined,
): string | undefined {
  const wanted = options.oauth?.scope ?? demanded ?? scopes.join(" ");
  // A login that replaces another one has its scopes too.
  const scope = unionOf(wanted, previous?.scope, previous?.wantedScope);
  const isOffered = metadata.scopes_supported?.includes("offline_access") === true;
  return scope !== undefined && isOffered ? unionOf(scope, "offline_access") : scope;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
