/** The protocol's SDK for servers, loaded when the first client is served. */
import type * as server from "@modelcontextprotocol/server";
import type * as stdio from "@modelcontextprotocol/server/stdio";

export interface ServerSdk {
  readonly server: typeof server;
  readonly stdio: typeof stdio;
}

export async function loadServerSdk(): Promise<ServerSdk> {
  const [server, stdio] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  return { server, stdio };
}
