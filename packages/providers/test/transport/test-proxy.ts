/** A proxy that opens tunnels, and a vendor with TLS that only the proxy can find. */
import type { IncomingMessage, RequestListener } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect } from "node:net";
import { setDefaultCACertificates, getCACertificates } from "node:tls";
import { onTestFinished } from "vitest";

/** Of `vendor.test`, a name that no resolver has. It is trusted in these tests and nowhere else. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUaDey3bsxjZCr800suIQf7ge5ol4wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLdmVuZG9yLnRlc3QwIBcNMjYxMTE3MDkzNjU3WhgPMjEyNjEw
MjQwOTM2NTdaMBYxFDASBgNVBAMMC3ZlbmRvci50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEnhrxQgQ+xOzbvbpGGVzBwj6EIceVqJn+Kh223Z2l/q6yd9gr
/F2T3RXBJwrNV1TrJQ7UIct+nwrBfpg/rblNKaNrMGkwHQYDVR0OBBYEFN2vW21k
hgA7JOW6YJQlMfgj8rYeMB8GA1UdIwQYMBaAFN2vW21khgA7JOW6YJQlMfgj8rYe
MA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILdmVuZG9yLnRlc3QwCgYIKoZI
zj0EAwIDSAAwRQIgJlKEelYmEOjBqRsAA/PJkJ7qyh8movycLohQumgt2XQCIQC1
M3izYgIR17al7XW+PvmB2KR69ekoSttwK94IIwURXA==
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRKqpSAqXoZxa5iQQ
0QKNKt1D+Z03Pg89o4fptIfrKJuhRANCAASeGvFCBD7E7Nu9ukYZXMHCPoQhx5Wo
mf4qHbbdnaX+rrJ32Cv8XZPdFcEnCs1XVOslDtQhy36fCsF+mD+tuU0p
-----END PRIVATE KEY-----`;

export interface TestProxy {
  readonly url: string;
  /** What it was asked for: the targets of tunnels, and the URLs of plain requests. */
  readonly asked: string[];
  readonly authorizations: (string | undefined)[];
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server that listens on a port has an address of this kind.
  return (server.address() as AddressInfo).port;
}

/** Listens as `https://vendor.test`, if a proxy leads there. */
export async function serveTls(listener: RequestListener): Promise<number> {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
  return listen(createTlsServer({ key, cert: certificate }, listener));
}

/** Leads every tunnel to the port. `status` other than 200 refuses them. */
export async function startProxy(port: number, status = 200): Promise<TestProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const note = ({ url = "", headers }: IncomingMessage): void => {
    asked.push(url);
    authorizations.push(headers["proxy-authorization"]);
  };
  const proxy = createServer((request, response) => {
    note(request);
    request.resume();
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end('data: {"text":"by proxy"}\n\ndata: {"finish":"stop"}\n\n');
  });
  proxy.on("connect", (request: IncomingMessage, socket: Socket) => {
    note(request);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const target = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
    socket.on("error", () => target.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(proxy)}`, asked, authorizations };
}
