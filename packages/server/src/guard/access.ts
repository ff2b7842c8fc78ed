/** Which host names the server accepts, and which web origins may call it. */
import { ServerError } from "./server-error.ts";

/** Hosts and origins whose requests are accepted. */
export interface AccessRules {
  /** Host names of the server, with or without a port. Default: those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** Other web origins that may call it, also with the cookies of their users, for example `https://app.example`. Default none. */
  readonly allowedOrigins?: readonly string[];
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** Prevents DNS rebinding: a page whose host name points to this machine must not reach the server. */
export function checkHost(request: Request, { allowedHosts = loopback }: AccessRules): void {
  const host = hostOf(request);
  const name = host.replace(/:\d+$/, "");
  const isAllowed = allowedHosts.some((allowed) => {
    const wanted = allowed.toLowerCase();
    return wanted === host || wanted === name;
  });
  if (isAllowed) return;
  const message = `Host "${host.slice(0, 100)}" is not allowed: add it to allowedHosts`;
  throw new ServerError("forbidden_host", message);
}

/** Returns undefined unless a page of another origin sent the request. */
export function checkOrigin(
  request: Request,
  { allowedOrigins = [] }: AccessRules,
): string | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || isOwn(origin, hostOf(request))) return undefined;
  if (allowedOrigins.includes(origin)) return origin;
  const message = `Origin "${origin.slice(0, 100)}" is not allowed: add it to allowedOrigins`;
  throw new ServerError("forbidden_origin", message);
}

/** Whether the page was served under the server's own name. */
function isOwn(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

function hostOf({ headers, url }: Request): string {
  return (headers.get("host") ?? new URL(url).host).toLowerCase();
}

/** Headers for responses to a page of another origin. */
export function corsHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "x-session-id, x-session-incarnation, x-turn-id, retry-after",
    vary: "origin",
  };
}

/** Response to a browser's preflight request. */
export function preflight(origin: string, methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": "authorization, content-type, last-event-id",
      "access-control-max-age": "600",
    },
  });
}
