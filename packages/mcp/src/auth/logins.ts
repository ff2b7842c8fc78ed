/** Logins at MCP servers: made by a program that has a user, used by all that share the store. */
import type { Clock } from "@capstan/core";
import { systemClock } from "@capstan/core";
import { serializeError } from "@capstan/kernel";
import { cleanText } from "../elicitation/clean-text.ts";
import { McpError } from "../errors/mcp-error.ts";
import { checkServers } from "../options/check-servers.ts";
import type { HttpServerOptions, McpAuth } from "../options/server-options.ts";
import { loadSdk } from "../sdk/sdk.ts";
import { candidatesFor, findKey } from "./find-login.ts";
import { fileTokenStore } from "./file-token-store.ts";
import { logIn } from "./login.ts";
import { LoginTokens } from "./login-tokens.ts";
import { problemOfUrl } from "./oauth-fetch.ts";
import type { StoredLogin, TokenStore } from "./token-store.ts";

/** Options of `mcpLogins`. */
export interface McpLoginsOptions {
  /** Default: `fileTokenStore()`. */
  readonly store?: TokenStore;
  readonly clock?: Clock;
}

/** A server and its name in the configuration. */
export type McpLoginServer = HttpServerOptions & { readonly name: string };

/** Options of one login: how the browser is opened, and how long to wait. */
export interface McpLoginOptions {
  /** Shows the page of the authorization server to the user, in a browser or as a line of text. */
  open(url: string): void | Promise<void>;
  readonly signal?: AbortSignal;
  /** How long the user may take. Default 300,000. */
  readonly timeoutMs?: number;
}

/** A login, without its tokens. */
export interface McpLogin {
  /** Identifier of the authorization server. */
  readonly issuer: string;
  readonly resource: string;
  readonly scope?: string;
  /** When the access token ends, in milliseconds since 1970; missing if the authorization server did not say. */
  readonly expiresAt?: number;
  /** Whether the access token is replaced by itself when it ends. */
  readonly isRenewed: boolean;
}

/** Pass it to `mcpTools({ auth })`. */
export interface McpLogins {
  /** Logs in, and stores the tokens. Running sessions use them with their next request. Rejects with an `McpError`. */
  login(server: McpLoginServer, options: McpLoginOptions): Promise<McpLogin>;
  /** Forgets the tokens. Resolves with whether there were any. The authorization server is not told. */
  logout(server: McpLoginServer): Promise<boolean>;
  /** The login for a server, if there is one. The server is asked for its issuer; if it does not answer, the last known one counts. */
  status(server: McpLoginServer): Promise<McpLogin | undefined>;
  /** Provider of the tokens of a server. */
  provider(server: McpLoginServer): McpAuth;
}

const defaultTimeoutMs = 300_000;

/** Creates the logins of this process. Without a `store`, tokens are kept in a file of the user. */
export function mcpLogins(options: McpLoginsOptions = {}): McpLogins {
  const { store = fileTokenStore(), clock = systemClock } = options;
  return new Logins(store, clock);
}

class Logins implements McpLogins {
  readonly #store: TokenStore;
  readonly #clock: Clock;

  constructor(store: TokenStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async login(server: McpLoginServer, options: McpLoginOptions): Promise<McpLogin> {
    const { name, own } = checked(server);
    const problem = problemOfUrl(own.url, own.url);
    if (problem !== undefined) throw failed(name, problem);
    const { timeoutMs = defaultTimeoutMs } = options;
    const limit = new AbortController();
    const late = new Error(`the user did not log in within ${timeoutMs} ms`);
    const cancel = this.#clock.timer(timeoutMs, () => limit.abort(late));
    const signals = [limit.signal, ...(options.signal ? [options.signal] : [])];
    try {
      const sdk = await loadSdk();
      const [key, login] = await logIn(sdk, {
        options: own,
        store: this.#store,
        open: (url) => options.open(url),
        now: () => this.#clock.now(),
        signal: AbortSignal.any(signals),
      });
      await this.#store.update(key, async () => login);
      await this.#forgetOthers(own, key);
      return toLogin(login);
    } catch (thrown) {
      if (thrown instanceof McpError) throw thrown;
      throw failed(name, cleanText(serializeError(thrown).message, 1_000), thrown);
    } finally {
      cancel();
    }
  }

  async logout(server: McpLoginServer): Promise<boolean> {
    const { own } = checked(server);
    const candidates = await candidatesFor(await loadSdk(), own, this.#store);
    for (const [key] of candidates) await this.#store.update(key, async () => undefined);
    return candidates.length > 0;
  }

  async status(server: McpLoginServer): Promise<McpLogin | undefined> {
    const { own } = checked(server);
    const sdk = await loadSdk();
    const [first] = await candidatesFor(sdk, own, this.#store);
    if (first === undefined) return undefined;
    const [last, { metadataUrl }] = first;
    // A server that is away has not moved.
    const key = await findKey(sdk, own, this.#store, metadataUrl).catch(() => last);
    const login = await this.#store.load(key);
    return login && toLogin(login);
  }

  /** The server has moved: its tokens of other issuers are of no use. */
  async #forgetOthers(own: HttpServerOptions, kept: string): Promise<void> {
    const { href } = new URL(own.url);
    for (const [key, { server }] of await candidatesFor(await loadSdk(), own, this.#store)) {
      if (server === href && key !== kept) await this.#store.update(key, async () => undefined);
    }
  }

  provider(server: McpLoginServer): McpAuth {
    const { name, own } = checked(server);
    return new LoginTokens({ name, options: own, store: this.#store, clock: this.#clock });
  }
}

function toLogin({ issuer, resource, scope, expiresAt, refreshToken }: StoredLogin): McpLogin {
  return {
    ...{ issuer, resource, isRenewed: refreshToken !== undefined },
    ...(scope !== undefined && { scope }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function checked(server: McpLoginServer): { name: string; own: HttpServerOptions } {
  const { name, ...own } = server;
  checkServers({ [name]: own });
  if ("url" in own) return { name, own };
  // Callers in JavaScript may pass a server that is a process.
  const text = `The MCP server "${name}": only a server with a url has a login`;
  throw new McpError("invalid_option", name, text);
}

function failed(name: string, problem: string, cause?: unknown): McpError {
  const text = `The login at the MCP server "${name}" failed: ${problem}`;
  return new McpError("login_failed", name, text, { cause });
}
