/** A small authorization server on this machine, which checks what clients send and keeps it. */
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Fields = Readonly<Record<string, unknown>>;

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly scope: string | undefined;
}

interface Seen {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly json: Fields;
  readonly authorization: string | undefined;
}

/** Settings that a test may change, even while the server runs. */
interface Behaviour {
  metadata: Fields;
  /** Metadata of the resource; it lists this authorization server and the MCP server. */
  resource: Fields;
  /** Parameters of the redirect. */
  redirect: Record<string, string>;
  /** Whole answers by path, instead of the usual ones. */
  answers: Record<string, { status: number; headers?: Record<string, string>; body: string }>;
  tokens: Fields;
  refusesRefresh: boolean;
}

export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  readonly behaviour: Behaviour;
  readonly seen: readonly Seen[];
  /** Header of a 401 or 403 of the MCP server. */
  challenge(more?: string): string;
  seenAt(path: string): readonly Seen[];
  refreshes(): number;
  /** Whether the header has an access token that is valid now. */
  accepts(authorization: string | undefined): boolean;
  /** Makes all access tokens invalid. */
  expire(): void;
}

export async function authorizationServer(): Promise<AuthorizationServer> {
  const seen: Seen[] = [];
  const grants = new Map<string, Grant>();
  const refreshTokens = new Map<string, string>();
  const access = new Set<string>();
  const behaviour: Behaviour = {
    ...{ metadata: {}, resource: {}, redirect: {}, answers: {}, tokens: {}, refusesRefresh: false },
  };

  const server = createServer((request, response) => {
    Array.fromAsync(request as AsyncIterable<Buffer>)
      .then((chunks) => {
        const text = Buffer.concat(chunks).toString();
        const url = new URL(request.url ?? "/", issuer);
        const isJson = request.headers["content-type"] === "application/json";
        const params = text === "" || isJson ? url.searchParams : new URLSearchParams(text);
        const json = isJson ? (JSON.parse(text) as Fields) : {};
        const { authorization } = request.headers;
        seen.push({ path: url.pathname, params, json, authorization });
        const own = behaviour.answers[url.pathname];
        if (own !== undefined) return response.writeHead(own.status, own.headers).end(own.body);
        const [status, body] = answer(url.pathname, params, json);
        if (status === 302) return response.writeHead(302, { location: String(body) }).end();
        response.writeHead(status, { "content-type": "application/json" });
        return response.end(JSON.stringify(body));
      })
      .catch((thrown: unknown) => response.writeHead(500).end(String(thrown)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function answer(path: string, params: URLSearchParams, json: Fields): [number, unknown] {
    if (path === "/resource")
      return [200, { authorization_servers: [issuer], ...behaviour.resource }];
    if (path === "/.well-known/oauth-authorization-server") return [200, metadata()];
    if (path === "/register") return [201, { ...json, client_id: `client-${randomUUID()}` }];
    if (path === "/authorize") return authorize(params);
    return path === "/token" ? token(params) : [404, {}];
  }

  function metadata(): Fields {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...behaviour.metadata,
    };
  }

  function authorize(params: URLSearchParams): [number, unknown] {
    const code = randomUUID();
    const redirectUri = params.get("redirect_uri") ?? "";
    grants.set(code, {
      challenge: params.get("code_challenge") ?? "",
      redirectUri,
      clientId: params.get("client_id") ?? "",
      scope: params.get("scope") ?? undefined,
    });
    const back = new URL(redirectUri);
    const answers = { code, state: params.get("state") ?? "", iss: issuer, ...behaviour.redirect };
    for (const [name, value] of Object.entries(answers)) {
      if (value !== "") back.searchParams.set(name, value);
    }
    return [302, back.href];
  }

  function token(params: URLSearchParams): [number, unknown] {
    if (params.get("grant_type") === "refresh_token") {
      const old = params.get("refresh_token") ?? "";
      const scope = refreshTokens.get(old);
      // Each refresh token works once.
      if (!refreshTokens.delete(old) || behaviour.refusesRefresh)
        return [400, { error: "invalid_grant" }];
      return [200, issue(scope)];
    }
    const grant = grants.get(params.get("code") ?? "");
    const verifier = params.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const fits =
      grant?.challenge === challenge &&
      grant.redirectUri === params.get("redirect_uri") &&
      grants.delete(params.get("code") ?? "");
    return fits ? [200, issue(grant.scope)] : [400, { error: "invalid_grant" }];
  }

  function issue(scope: string | undefined): Fields {
    const accessToken = `access-${randomUUID()}`;
    const refreshToken = `refresh-${randomUUID()}`;
    access.add(accessToken);
    refreshTokens.set(refreshToken, scope ?? "");
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: "Bearer",
      expires_in: 3600,
      ...(scope && { scope }),
      ...behaviour.tokens,
    };
  }

  return {
    ...{ issuer, behaviour, seen },
    challenge: (more = "") => `Bearer resource_metadata="${issuer}/resource"${more}`,
    seenAt: (path) => seen.filter((each) => each.path === path),
    refreshes: () =>
      seen.filter(({ params }) => params.get("grant_type") === "refresh_token").length,
    accepts: (authorization) => access.has(authorization?.replace("Bearer ", "") ?? ""),
    expire: () => access.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
