/** Finds the endpoint for a request. A list is enough for a dozen endpoints. */
import type { Endpoint } from "./endpoint.ts";
import { ServerError } from "../guard/server-error.ts";

export interface Match {
  readonly endpoint: Endpoint;
  readonly id: string;
}

/** Endpoints at this path, with any method. */
export function endpointsAt(endpoints: readonly Endpoint[], pathname: string): readonly Match[] {
  const segments = pathname.split("/").map(decode);
  return endpoints.flatMap((endpoint) => {
    const id = idIn(endpoint.path.split("/"), segments);
    return id === undefined ? [] : [{ endpoint, id }];
  });
}

/** Fails with `not_found` and `method_not_allowed`. */
export function matchOf(matches: readonly Match[], method: string): Match {
  if (matches.length === 0) throw new ServerError("not_found", "Unknown path");
  const match = matches.find(({ endpoint }) => endpoint.method === method);
  if (match !== undefined) return match;
  const allow = matches.map(({ endpoint }) => endpoint.method).join(", ");
  const message = `Method not allowed: use ${allow}`;
  throw new ServerError("method_not_allowed", message, { headers: { allow } });
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
