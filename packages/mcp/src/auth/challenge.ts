/** Demands of a server on a client without a login: the answer to a first request says where to log in, and for what. */
import type { HttpServerOptions } from "../options/server-options.ts";
import type { Sdk } from "../sdk/sdk.ts";

export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

const timeoutMs = 20_000;

/** Connects without a token. A server that lets the client in demands nothing yet, and is asked for its metadata alone. */
export async function challengeOf(
  { client: sdk }: Sdk,
  { url, headers, mode = "auto" }: HttpServerOptions,
): Promise<Challenge> {
  let challenge: Challenge | undefined;
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    redirectPolicy: "same-origin",
    ...(headers && { requestInit: { headers: { ...headers } } }),
    authProvider: {
      token: async () => undefined,
      onUnauthorized: async ({ response }) => {
        challenge = sdk.extractWWWAuthenticateParams(response);
        throw new Error("The server wants a login");
      },
    },
  });
  const info = { name: "capstan", version: "0.1.0" };
  const client = new sdk.Client(info, { versionNegotiation: { mode } });
  try {
    await client.connect(transport, { timeout: timeoutMs });
  } catch (thrown) {
    if (challenge === undefined) throw thrown;
  } finally {
    // The connection has served its purpose.
    await client.close().catch(() => {});
  }
  return challenge ?? {};
}
