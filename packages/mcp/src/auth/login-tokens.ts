/** Tokens of a login for the requests to one server: refreshed in time, after a refusal, and by one process at a time. */
import type { Clock } from "@capstan/core";
import { serializeError } from "@capstan/kernel";
import { McpError } from "../errors/mcp-error.ts";
import type { HttpServerOptions, McpAuth } from "../options/server-options.ts";
import { loadSdk } from "../sdk/sdk.ts";
import { candidatesFor, findKey } from "./find-login.ts";
import { loginRequired } from "./login-errors.ts";
import { refresh } from "./refresh.ts";
import { unionOf } from "./scopes.ts";
import type { StoredLogin, TokenStore } from "./token-store.ts";

export interface LoginTokensOptions {
  readonly name: string;
  readonly options: HttpServerOptions;
  readonly store: TokenStore;
  readonly clock: Clock;
}

export class LoginTokens implements McpAuth {
  readonly #options: LoginTokensOptions;
  /** Key of the login, once the server has named its issuer in this process. No token is sent before that. */
  #key: string | undefined;
  #locating: Promise<void> | undefined;
  /** Tokens that requests were sent with, by their responses. */
  readonly #sent = new WeakMap<Response, string>();
  /** Token that replaced a refused one and was not accepted yet. If it is refused too, another one would not help. */
  #unproven: string | undefined;
  #renewal: { readonly stale: string; readonly done: Promise<StoredLogin> } | undefined;

  constructor(options: LoginTokensOptions) {
    this.#options = options;
  }

  /** Read anew for each request: another process may have logged in, or refreshed. */
  async token(): Promise<string | undefined> {
    const { clock } = this.#options;
    const login = await this.#load();
    if (login?.refreshToken === undefined) return login?.accessToken;
    const { accessToken, refreshAt = Infinity, expiresAt = Infinity } = login;
    if (clock.now() < refreshAt) return accessToken;
    try {
      return (await this.#renew(accessToken)).accessToken;
    } catch (thrown) {
      // The token is good for a while: the next request tries again.
      if (clock.now() < expiresAt && !isLoginRequired(thrown)) return accessToken;
      throw thrown;
    }
  }

  /** Refreshes the token that was refused, so that the request can be repeated. Rejects if that is of no use. */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const { name } = this.#options;
    const refused = this.#sent.get(response);
    const before = this.#key;
    await this.#locate(response);
    if ((await this.#load()) === undefined) throw this.#noLogin(before);
    // A login may have been made since the request was sent, or the server has moved to an issuer whose login is there.
    if (refused === undefined || before !== this.#key) return;
    if (refused === this.#unproven) throw loginRequired(name, "it refuses a token that is new");
    const { accessToken } = await this.#renew(refused);
    this.#unproven = accessToken;
  }

  /** Sends a request of the transport, and remembers its token. */
  async fetch(url: string | URL, init?: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const header = new Headers(init?.headers).get("authorization") ?? "";
    const token = /^Bearer (.+)$/i.exec(header)?.[1];
    if (token === undefined) return response;
    this.#sent.set(response, token);
    if (response.ok && token === this.#unproven) this.#unproven = undefined;
    if (response.status === 403) await this.#noteScope(response);
    return response;
  }

  /** Read anew each time. */
  async #load(): Promise<StoredLogin | undefined> {
    if (this.#key === undefined) {
      this.#locating ??= this.#locateFirst().finally(() => {
        this.#locating = undefined;
      });
      await this.#locating;
    }
    return this.#key === undefined ? undefined : this.#options.store.load(this.#key);
  }

  async #locateFirst(): Promise<void> {
    const { options, store } = this.#options;
    const sdk = await loadSdk();
    const [first] = await candidatesFor(sdk, options, store);
    if (first === undefined) return;
    const [, { metadataUrl }] = first;
    // Without an answer no token is sent; then the server's refusal says where to ask.
    const key = await findKey(sdk, options, store, metadataUrl).catch(() => undefined);
    this.#key ??= key;
  }

  /** The server has refused a request, and may name another issuer than before. */
  async #locate(response: Response): Promise<void> {
    const { name, options, store } = this.#options;
    const sdk = await loadSdk();
    const candidates = await candidatesFor(sdk, options, store);
    if (candidates.length === 0) throw this.#noLogin(this.#key);
    const { resourceMetadataUrl } = sdk.client.extractWWWAuthenticateParams(response);
    const metadataUrl = resourceMetadataUrl?.href ?? candidates[0]?.[1].metadataUrl;
    this.#key = await findKey(sdk, options, store, metadataUrl).catch((thrown: unknown) => {
      throw unavailable(name, thrown);
    });
  }

  #noLogin(before: string | undefined): McpError {
    const { name } = this.#options;
    const isMoved = before !== undefined && before !== this.#key;
    return isMoved
      ? loginRequired(name, "it has moved to another authorization server")
      : loginRequired(name);
  }

  #renew(stale: string): Promise<StoredLogin> {
    if (this.#renewal?.stale === stale) return this.#renewal.done;
    const done = this.#renewOnce(stale).finally(() => {
      if (this.#renewal?.done === done) this.#renewal = undefined;
    });
    this.#renewal = { stale, done };
    return done;
  }

  async #renewOnce(stale: string): Promise<StoredLogin> {
    const { name, options, store, clock } = this.#options;
    const sdk = await loadSdk();
    const next = await store.update(this.#key ?? "", async (login) => {
      // Another process was faster, or there is nothing to refresh with.
      if (login?.refreshToken === undefined || login.accessToken !== stale) return login;
      const { refreshToken } = login;
      return refresh(sdk, { ...login, refreshToken }, options, () => clock.now()).catch(
        (thrown: unknown) => {
          throw unavailable(name, thrown);
        },
      );
    });
    if (next === undefined) throw loginRequired(name);
    if (next.accessToken === stale) throw loginRequired(name, "its login has ended");
    return next;
  }

  /** The next login asks for the scope, also if another process makes it. */
  async #noteScope(response: Response): Promise<void> {
    const { client } = await loadSdk();
    const { error, scope } = client.extractWWWAuthenticateParams(response);
    if (error !== "insufficient_scope" || this.#key === undefined) return;
    await this.#options.store.update(this.#key, async (login) => {
      if (login === undefined) return undefined;
      const wantedScope = unionOf(login.wantedScope, scope);
      return wantedScope === undefined || wantedScope === login.wantedScope
        ? login
        : { ...login, wantedScope };
    });
  }
}

function isLoginRequired(thrown: unknown): boolean {
  return thrown instanceof McpError && thrown.code === "login_required";
}

function unavailable(name: string, cause: unknown): McpError {
  const { message } = serializeError(cause);
  const text = `The MCP server "${name}" is not available: ${message}`;
  return new McpError("unavailable", name, text, { cause });
}
