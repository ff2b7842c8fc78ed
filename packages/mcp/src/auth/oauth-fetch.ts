/** Requests to authorization servers. Their addresses come from MCP servers, which may not mean well. */

const timeoutMs = 20_000;
const maxBytes = 1_000_000;
const loopbackHosts = new Set(["127.0.0.1", "[::1]", "localhost"]);

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Whether the address is on this machine. */
function isLoopback(url: string | URL): boolean {
  return loopbackHosts.has(new URL(url).hostname);
}

/**
 * Returns why an address of OAuth must not be used. Only https is safe; http on this machine is, too, if the MCP server is on this machine
 * itself: a server elsewhere has no business with local ports.
 */
export function problemOfUrl(url: string | URL, serverUrl: string): string | undefined {
  const parsed = URL.parse(String(url));
  if (parsed === null) return `${String(url).slice(0, 200)} is not an address`;
  if (parsed.username !== "" || parsed.password !== "")
    return `${parsed.host} is given with a user`;
  if (isLoopback(parsed) && !isLoopback(serverUrl)) {
    return `${parsed.href} is on this machine, and the MCP server is not`;
  }
  if (parsed.protocol === "https:") return undefined;
  if (parsed.protocol === "http:" && isLoopback(parsed)) return undefined;
  return `${parsed.href} is not an https address`;
}

/** Follows no redirect, has a time limit, and reads at most a megabyte. */
export function oauthFetch(serverUrl: string, signal?: AbortSignal): OAuthFetch {
  return async (url, init) => {
    const problem = problemOfUrl(url, serverUrl);
    if (problem !== undefined) throw new Error(problem);
    const limit = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Error(`${new URL(url).origin} answers with a redirect, which is not followed`);
    }
    const body = await readAll(response, new URL(url).origin);
    const { status, statusText, headers } = response;
    return new Response(status === 204 ? null : body, { status, statusText, headers });
  };
}

async function readAll(response: Response, origin: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (bytes > maxBytes) throw new Error(`${origin} sends more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
