/** From where a request may come: which names the server answers to, and which web pages may talk to it. */
import { ServerError } from "./server-error.ts";

export interface AccessRules {
  /** Names that the server is reached by, with or without a port. Default: those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** Web pages of other origins that may talk to it, as `https://app.example`. Default none. */
  readonly allowedOrigins?: readonly string[];
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** A page that has made its name point here must not reach what trusts this machine. */
export function checkHost(request: Request, { allowedHosts = loopback }: AccessRules): void {
  const host = hostOf(request);
  const name = host.replace(/:\d+$/, "");
  const isAllowed = allowedHosts.some((allowed) => {
    const wanted = allowed.toLowerCase();
    return wanted === host || wanted === name;
  });
  if (isAllowed) return;
  const message = `This server does not answer to the name "${host.slice(0, 100)}": add it to allowedHosts`;
  throw new ServerError("forbidden_host", message);
}

/** Undefined for a request that no page of another origin sent. */
export function checkOrigin(
  request: Request,
  { allowedOrigins = [] }: AccessRules,
): string | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || isOwn(origin, hostOf(request))) return undefined;
  if (allowedOrigins.includes(origin)) return origin;
  const message = `Pages of "${origin.slice(0, 100)}" may not talk to this server: add the origin to allowedOrigins`;
  throw new ServerError("forbidden_origin", message);
}

/** A page that this server's own name has given. */
function isOwn(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

function hostOf({ headers, url }: Request): string {
  return (headers.get("host") ?? new URL(url).host).toLowerCase();
}

/** For responses to a page of another origin. */
export function corsHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "x-session-id, x-session-incarnation, retry-after",
    vary: "origin",
  };
}

/** What a browser asks before it lets a page send the request itself. */
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
