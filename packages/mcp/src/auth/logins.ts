/** Logins at MCP servers: made by a program that has a user, used by all that share the store. */
import type { Clock } from "@capstan/core";
import { systemClock } from "@capstan/core";
import { serializeError } from "@capstan/kernel";
import { cleanText } from "../elicitation/clean-text.ts";
import { McpError } from "../errors/mcp-error.ts";
import { checkServers } from "../options/check-servers.ts";
import type { HttpServerOptions, McpAuth } from "../options/server-options.ts";
import { loadSdk } from "../sdk/sdk.ts";
import { fileTokenStore } from "./file-token-store.ts";
import { logIn } from "./login.ts";
import { LoginTokens } from "./login-tokens.ts";
import { problemOfUrl } from "./oauth-fetch.ts";
import type { TokenStore } from "./token-store.ts";
import { loginKey } from "./token-store.ts";

export interface McpLoginsOptions {
  /** Default: `fileTokenStore()`. */
  readonly store?: TokenStore;
  readonly clock?: Clock;
}

/** A server and its name in the configuration. */
export type McpLoginServer = HttpServerOptions & { readonly name: string };

export interface McpLoginOptions {
  /** Shows the page of the authorization server to the user, in a browser or as a line of text. */
  open(url: string): void | Promise<void>;
  readonly signal?: AbortSignal;
  /** How long the user may take. Default 300,000. */
  readonly timeoutMs?: number;
}

/** Pass it to `mcpTools({ auth })`. */
export interface McpLogins {
  /** Logs in, and stores the tokens. Running sessions use them with their next request. Rejects with an `McpError`. */
  login(server: McpLoginServer, options: McpLoginOptions): Promise<void>;
  /** Forgets the tokens. Resolves with whether there were any. The authorization server is not told. */
  logout(server: McpLoginServer): Promise<boolean>;
  /** Provider of the tokens of a server. */
  provider(server: McpLoginServer): McpAuth;
}

const defaultTimeoutMs = 300_000;

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

  async login(server: McpLoginServer, options: McpLoginOptions): Promise<void> {
    const { name, own } = checked(server);
    const problem = problemOfUrl(own.url, own.url);
    if (problem !== undefined) throw failed(name, problem);
    const key = loginKey(own);
    const { timeoutMs = defaultTimeoutMs } = options;
    const limit = new AbortController();
    const late = new Error(`the user did not log in within ${timeoutMs} ms`);
    const cancel = this.#clock.timer(timeoutMs, () => limit.abort(late));
    const signals = [limit.signal, ...(options.signal ? [options.signal] : [])];
    // A broken store is found before the user is asked for anything.
    const previous = await this.#store.load(key);
    try {
      const login = await logIn(await loadSdk(), {
        options: own,
        previous,
        open: (url) => options.open(url),
        now: () => this.#clock.now(),
        signal: AbortSignal.any(signals),
      });
      await this.#store.update(key, async () => login);
    } catch (thrown) {
      if (thrown instanceof McpError) throw thrown;
      throw failed(name, cleanText(serializeError(thrown).message, 1_000), thrown);
    } finally {
      cancel();
    }
  }

  async logout(server: McpLoginServer): Promise<boolean> {
    let had = false;
    await this.#store.update(loginKey(checked(server).own), async (login) => {
      had = login !== undefined;
      return undefined;
    });
    return had;
  }

  provider(server: McpLoginServer): McpAuth {
    const { name, own } = checked(server);
    return new LoginTokens({ name, options: own, store: this.#store, clock: this.#clock });
  }
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
