/** Stands between a client and a server, and breaks each connection when so many bytes have come from the server. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** From the next connection on. */
  cutAfter: number;
  /** Whether connections end as those of a killed server do, without an error. */
  endsQuietly: boolean;
}

export async function cuttingProxy(targetPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const limit = proxy.cutAfter;
    const upstream = connect(targetPort, "127.0.0.1");
    const cut = (): void => {
      if (proxy.endsQuietly) client.end();
      else client.resetAndDestroy();
      upstream.destroy();
    };
    let bytes = 0;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", cut).on("close", cut);
    }
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      const rest = chunk.subarray(0, limit - bytes);
      bytes += rest.length;
      client.write(rest);
      if (bytes >= limit) cut();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const proxy: CuttingProxy = {
    port,
    cutAfter: Infinity,
    endsQuietly: false,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return proxy;
}
