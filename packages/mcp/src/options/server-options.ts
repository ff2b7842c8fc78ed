/** Options of MCP servers, as users write them. */

/**
 * Which generation of the protocol is used. `auto` asks the server once and remembers the answer; `legacy` is for servers before
 * 2026-07-28; a pin accepts exactly that version. Default: `auto` over HTTP, `legacy` over stdio, because there the question costs a second
 * process.
 */
export type McpMode = "auto" | "legacy" | { readonly pin: string };

/** Options of one tool of a server. */
export interface McpToolOptions {
  /** Time limit of one call. Default: that of the server. */
  readonly timeoutMs?: number;
  /** Overrides `trustAnnotations` of the server. */
  readonly trustAnnotations?: boolean;
}

interface CommonOptions {
  readonly mode?: McpMode;
  /** Time limit of one call. Default: that of the agent, `deadlines.toolMs`. */
  readonly timeoutMs?: number;
  /** Time limit of the start of a server: its process, the handshake, the list of its tools. Default 30,000. */
  readonly startTimeoutMs?: number;
  /**
   * Whether the server's word about its tools counts: a tool that claims to be read-only is `pure`, one that claims to be idempotent is
   * `idempotent`. Decides only whether a call may be repeated after a crash, never what is allowed. Default false: `at-most-once`.
   */
  readonly trustAnnotations?: boolean;
  /** Options of single tools, by the name that the server gives them. */
  readonly tools?: Readonly<Record<string, McpToolOptions>>;
}

/** A server that runs as a process on this machine. */
export interface StdioServerOptions extends CommonOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables for the process, besides a few such as PATH and HOME. It gets nothing else of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Provides the token of a server. */
export interface McpAuth {
  /** Called before each request. */
  token(): Promise<string | undefined>;
  /** Called after a 401; then the request is repeated once. */
  onUnauthorized?(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

/** How to log in at a server's authorization server. Without any of it, the client is registered during the login. */
export interface McpOAuthOptions {
  /** Client that the authorization server knows already. Comes before all others. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** HTTPS address of a client id metadata document, for authorization servers that take one. */
  readonly clientMetadataUrl?: string;
  /** Scope to ask for. Default: what the server asks for. */
  readonly scope?: string;
  /** Port of the redirect on 127.0.0.1, if the client is registered with one. Default: a free port. */
  readonly redirectPort?: number;
}

/** A server that is reached over streamable HTTP. */
export interface HttpServerOptions extends CommonOptions {
  readonly url: string;
  /** Sent with every request to this origin, and never to another one. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Provider of tokens. Without it, the `auth` of `mcpTools` is used. */
  readonly auth?: McpAuth;
  readonly oauth?: McpOAuthOptions;
}

/** How to reach a server: a command to start, or a URL. */
export type McpServerOptions = StdioServerOptions | HttpServerOptions;
