/** Stands between clients and a database, and can be switched off and on again: with an end of all connections, or in silence. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface SwitchedProxy extends AsyncDisposable {
  /** For clients: leads to the database. */
  readonly url: string;
  /** Ends all connections, and new ones as soon as they are made. */
  cut(): void;
  /** Nothing arrives any more, in either direction, and no connection ends. */
  hang(): void;
  /** New connections work again. Those that hung end. */
  restore(): void;
}

export async function switchedProxy(databaseUrl: string): Promise<SwitchedProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const targetPort = Number(port === "" ? 5_432 : port);
  const sockets = new Set<Socket>();
  let state: "on" | "cut" | "hanging" = "on";
  const endAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
  };
  const server = createServer((client) => {
    if (state === "cut") {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(targetPort, hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      const end = (): void => {
        sockets.delete(from);
        to.destroy();
      };
      from.on("error", end).on("close", end);
      from.on("data", (chunk) => {
        if (state === "on") to.write(chunk);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${address.port}` }).href,
    cut() {
      state = "cut";
      endAll();
    },
    hang() {
      state = "hanging";
    },
    restore() {
      if (state === "hanging") endAll();
      state = "on";
    },
    async [Symbol.asyncDispose]() {
      server.close();
      endAll();
    },
  };
}
