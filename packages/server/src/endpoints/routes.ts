/** Finds the endpoint for a request. A list is enough for a dozen endpoints. */
import type { Endpoint } from "./endpoint.ts";
import { ServerError } from "../guard/server-error.ts";

export interface Match {
  readonly endpoint: Endpoint;
  readonly id: string;
}

/** Endpoints at this path, with any method. Some frameworks remove the base path. */
export function endpointsAt(
  endpoints: readonly Endpoint[],
  pathname: string,
  basePath: string,
): readonly Match[] {
  if (!pathname.startsWith(`${basePath}/`)) return matchesOf(endpoints, pathname);
  const found = matchesOf(endpoints, pathname.slice(basePath.length));
  return found.length > 0 ? found : matchesOf(endpoints, pathname);
}

function matchesOf(endpoints: readonly Endpoint[], pathname: string): readonly Match[] {
  const segments = pathname.split("/").map(decode);
  return endpoints.flatMap((endpoint) => {
    const id = idIn(endpoint.path.split("/"), segments);
    return id === undefined ? [] : [{ endpoint, id }];
  });
}

/** Fails with `not_found` and `method_not_allowed`. */
export function matchOf(matches: readonly Match[], method: string, unknown: () => string): Match {
  if (matches.length === 0) throw new ServerError("not_found", unknown());
  const match = matches.find(({ endpoint }) => endpoint.method === method);
  if (match !== undefined) return match;
  const allow = matches.map(({ endpoint }) => endpoint.method).join(", ");
  const message = `Method not allowed: use ${allow}`;
  throw new ServerError("method_not_allowed", message, { headers: { allow } });
}

/** Message for a path without an endpoint. If the server seems to be mounted under another base path, names it. */
export function unknownPath(pathname: string, basePath: string): string {
  const [, prefix = ""] = /^(\/.+?)\/api\/agent\//.exec(pathname) ?? [];
  if (prefix !== "" && prefix !== basePath) {
    return `Unknown path: if the server is mounted under "${prefix.slice(0, 100)}", set \`basePath\` of createServer`;
  }
  return basePath === ""
    ? "Unknown path"
    : `Unknown path: paths of this server begin with "${basePath}/"`;
}

/** Fails with `invalid_options`. */
export function toBasePath(given = ""): string {
  const basePath = given.replace(/\/+$/, "");
  if (/^(\/[\w.~!$&'()*+,;=:@%-]+)*$/.test(basePath)) return basePath;
  const message = `Invalid basePath "${given}": use a path such as "/agents"`;
  throw new ServerError("invalid_options", message);
}

/** Returns the value of `:id`, or an empty string if the pattern has none; undefined if the path does not match. */
function idIn(
  pattern: readonly string[],
  segments: readonly (string | undefined)[],
): string | undefined {
  if (pattern.length !== segments.length) return undefined;
  let id = "";
  for (const [index, wanted] of pattern.entries()) {
    const found = segments[index];
    if (wanted === ":id" && found !== undefined && found !== "") id = found;
    else if (wanted !== found) return undefined;
  }
  return id;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not a valid encoding, so no route matches it.
    return undefined;
  }
}
