/** The SDK of the protocol, loaded when the first server is used: it takes a fifth of a second and megabytes. */
import type * as client from "@modelcontextprotocol/client";
import type * as stdio from "@modelcontextprotocol/client/stdio";

export interface Sdk {
  readonly client: typeof client;
  readonly stdio: typeof stdio;
}

export async function loadSdk(): Promise<Sdk> {
  const [client, stdio] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  return { client, stdio };
}
