/** Logins at authorization servers, and where they are kept. */

/** Tokens for one MCP server, bound to the authorization server that issued them. They are sent to no other. */
export interface StoredLogin {
  /** Address of the MCP server. */
  readonly server: string;
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

/** Keeps logins. All processes that use a login must share its store. */
export interface TokenStore {
  load(key: string): Promise<StoredLogin | undefined>;
  /**
   * Passes the stored login to `change`, and stores what that returns; undefined removes the login. No other process changes the same login
   * in the meantime. If `change` rejects, nothing is stored, and the error is passed on.
   */
  update(
    key: string,
    change: (current: StoredLogin | undefined) => Promise<StoredLogin | undefined>,
  ): Promise<StoredLogin | undefined>;
}

/** Key of the login at a server. A configured client has a login of its own. */
export function loginKey({ url, oauth }: LoginTarget): string {
  const { href } = new URL(url);
  return oauth?.clientId === undefined ? href : `${href} ${oauth.clientId}`;
}

interface LoginTarget {
  readonly url: string;
  readonly oauth?: { readonly clientId?: string };
}
