/** Logins at authorization servers, and where they are kept. */

/** Tokens for one MCP server, bound to the authorization server that issued them. They are sent to no other. */
export interface StoredLogin {
  /** Address of the MCP server that the login was made for. */
  readonly server: string;
  /** Address of that server's metadata, if its challenge named one. */
  readonly metadataUrl?: string;
  /** Identifier of the authorization server. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** Ways in which the authorization server lets clients authenticate. */
  readonly authMethods: readonly string[];
  readonly clientId: string;
  /** Secret of a client that was registered during the login. A configured secret stays in the configuration. */
  readonly clientSecret?: string;
  /** The one way that the registration chose. */
  readonly authMethod?: string;
  /** Present if the client was registered during a login: other logins at the same issuer use it too. */
  readonly registration?: Registration;
  /** Resource that the tokens are for (RFC 8707). */
  readonly resource: string;
  readonly accessToken: string;
  /** Missing if there was none, or if it was refused. */
  readonly refreshToken?: string;
  /** When the access token ends, in milliseconds since 1970; missing if the authorization server did not say. */
  readonly expiresAt?: number;
  /** When it is time for another one. */
  readonly refreshAt?: number;
  readonly scope?: string;
  /** Scope that the MCP server has asked for since. The next login asks for it too. */
  readonly wantedScope?: string;
}

/** Address and scope that a client was registered with. */
export interface Registration {
  readonly redirectUrl: string;
  readonly scope?: string;
}

/** Keeps logins. All processes that use a login must share its store. */
export interface TokenStore {
  load(key: string): Promise<StoredLogin | undefined>;
  /** All logins, with their keys. */
  list(): Promise<ReadonlyMap<string, StoredLogin>>;
  /**
   * Passes the stored login to `change`, and stores what that returns; undefined removes the login. No other process changes the same login
   * in the meantime. If `change` rejects, nothing is stored, and the error is passed on.
   */
  update(
    key: string,
    change: (current: StoredLogin | undefined) => Promise<StoredLogin | undefined>,
  ): Promise<StoredLogin | undefined>;
}

/**
 * Key of a login: its issuer, its resource and its configured client. A server that moves to another issuer has another key, and servers
 * that are one resource share a login.
 */
export function loginKey(issuer: string, resource: string, clientId?: string): string {
  const parts = [plainIssuer(issuer), new URL(resource).href];
  return [...parts, ...(clientId === undefined ? [] : [clientId])].join(" ");
}

/** Issuers that differ in the last slash are the same one. */
export function plainIssuer(issuer: string): string {
  return new URL(issuer).href.replace(/\/$/, "");
}
