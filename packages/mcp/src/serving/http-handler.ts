/** Answers HTTP requests of MCP clients of every version: who may ask, and what each is served by. */
import type { ServerSdk } from "../sdk/server-sdk.ts";
import type { Clock } from "@capstan/core";
import { LiveConnections } from "./live-connections.ts";
import type { Serving } from "./protocol-server.ts";
import { createProtocolServer } from "./protocol-server.ts";
import type { McpIdentity, ServingLimits } from "./serving-options.ts";
import { invalidOption } from "./serving-options.ts";

export interface HttpHandler {
  handle(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export function createHttpHandler(
  sdk: ServerSdk,
  serving: Serving,
  limits: ServingLimits,
  clock: Clock,
): HttpHandler {
  const { authenticate, onError } = serving.options;
  if (authenticate === undefined) {
    throw invalidOption("mcpServer: HTTP needs `authenticate`, which returns the principal");
  }
  const create = (identity: McpIdentity): ReturnType<typeof createProtocolServer> =>
    createProtocolServer(sdk, serving, identity);
  const live = new LiveConnections(sdk, limits, clock, create);
  const modern = sdk.server.createMcpHandler(({ authInfo }) => create(identityOf(authInfo)), {
    legacy: "reject",
    maxRequestBodySize: limits.maxBodyBytes,
    ...(onError && { onerror: onError }),
  });
  return {
    async handle(request) {
      const { allowedHosts, allowedOrigins } = serving.options;
      const { localhostAllowedHostnames, localhostAllowedOrigins } = sdk.server;
      const rejected =
        sdk.server.hostHeaderValidationResponse(request, [
          ...(allowedHosts ?? localhostAllowedHostnames()),
        ]) ??
        sdk.server.originValidationResponse(request, [
          ...(allowedOrigins ?? localhostAllowedOrigins()),
        ]);
      if (rejected !== undefined) return rejected;
      const identity = await authenticate(request);
      if (identity === undefined) return unauthenticated();
      const maxBodySize = limits.maxBodyBytes;
      const isLegacy = await sdk.server.isLegacyRequest(request, undefined, {
        maxRequestBodySize: maxBodySize,
      });
      if (isLegacy) return live.handle(request, identity, undefined);
      return modern.fetch(request, { authInfo: toAuthInfo(identity) });
    },
    async close() {
      await live.close();
      await modern.close();
    },
  };
}

type AuthInfo = NonNullable<
  Parameters<ReturnType<ServerSdk["server"]["createMcpHandler"]>["fetch"]>[1]
>["authInfo"];

const identityField = "capstan/identity";

/** The SDK passes it on to the server of the request. */
function toAuthInfo(identity: McpIdentity): NonNullable<AuthInfo> {
  return {
    token: "",
    clientId: identity.principal,
    scopes: [],
    extra: { [identityField]: identity },
  };
}

function identityOf(authInfo: AuthInfo | undefined): McpIdentity {
  // Set above, for every request.
  return authInfo?.extra?.[identityField] as McpIdentity;
}

function unauthenticated(): Response {
  const error = { code: -32_000, message: "Authentication required: send a valid bearer token." };
  return Response.json(
    { jsonrpc: "2.0", error, id: null },
    { status: 401, headers: { "www-authenticate": "Bearer" } },
  );
}
