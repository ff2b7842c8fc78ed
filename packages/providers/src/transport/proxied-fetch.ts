/** `fetch` through a proxy, with Node's http. Loaded only if needed: Node's `fetch` takes no proxy after startup, and undici is not available. */
import type { IncomingMessage } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import * as tls from "node:tls";
import { ProviderError } from "@capstan/kernel";

/** The part of `fetch` that the transport uses. */
interface WireInit {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly redirect?: "manual";
}

export type WireFetch = (url: string, init: WireInit) => Promise<Response>;

/** Time the proxy may take to open a tunnel. */
const connectMs = 30_000;

/** Keeps connections for later requests. Does not follow redirects. */
export function proxiedFetch(proxy: URL): WireFetch {
  const tunnels = new https.Agent({ keepAlive: true });
  tunnels.createConnection = (options, onCreated) => {
    const { host = "", port = 443 } = options as { host?: string; port?: number };
    openTunnel(proxy, host, port).then(
      // The tunnel is an open connection: TLS with the target starts inside it.
      (socket) => onCreated?.(null, tls.connect({ ...options, path: undefined, socket } as object)),
      (thrown: Error) => onCreated?.(thrown, undefined as never),
    );
    return undefined;
  };
  const toProxy = proxy.protocol === "https:" ? https : http;
  const connections = new toProxy.Agent({ keepAlive: true });
  return (address, { method = "GET", headers, body, signal }) => {
    const url = new URL(address);
    const sent = Object.fromEntries(headers ?? []);
    const common = { method, ...(signal && { signal }) };
    const request =
      url.protocol === "https:"
        ? https.request(url, { ...common, headers: sent, agent: tunnels })
        : toProxy.request({
            ...common,
            ...hostAndPort(proxy),
            path: url.href,
            headers: { ...sent, host: url.host, ...authorizationFor(proxy) },
            agent: connections,
          });
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    request.once("response", (message) => resolve(toResponse(message)));
    request.once("error", (thrown) => {
      reject(url.protocol === "https:" ? thrown : withoutProxy(proxy, thrown));
    });
    request.end(body);
    return promise;
  };
}

function openTunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = (proxy.protocol === "https:" ? https : http).request({
    ...hostAndPort(proxy),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...authorizationFor(proxy) },
    agent: false,
  });
  request.setTimeout(connectMs, () => {
    request.destroy(new Error(`no response within ${connectMs / 1_000} seconds`));
  });
  request.once("connect", ({ statusCode = 0 }, socket, head) => {
    request.setTimeout(0);
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
      return;
    }
    socket.destroy();
    reject(refusal(proxy, target, statusCode));
  });
  request.once("error", (thrown) => reject(withoutProxy(proxy, thrown)));
  request.end();
  return promise;
}

function refusal(proxy: URL, target: string, status: number): ProviderError {
  const advice =
    status === 407
      ? "add a user and a password to its URL"
      : "ask its administrator, or list the host in NO_PROXY";
  return new ProviderError(
    status === 407 ? "auth" : "network",
    `The proxy ${proxy.origin} refused to connect to ${target} with status ${status}: ${advice}`,
    { status, retryable: status >= 500 },
  );
}

function withoutProxy(proxy: URL, thrown: Error): Error {
  if (thrown.name === "AbortError") return thrown;
  const code = "code" in thrown && typeof thrown.code === "string" ? ` (${thrown.code})` : "";
  return new ProviderError(
    "network",
    `The proxy ${proxy.origin} is unreachable: ${thrown.message}${code}. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY`,
    { cause: thrown },
  );
}

function hostAndPort({ hostname, port, protocol }: URL): { host: string; port: number } {
  const fallback = protocol === "https:" ? 443 : 80;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? fallback : Number(port),
  };
}

function authorizationFor({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Statuses for which `Response` accepts no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (bodiless.has(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  // Bytes, because no encoding is set.
  const body = Readable.toWeb(message) as ReadableStream<Uint8Array>;
  return new Response(body, { status, statusText, headers });
}
