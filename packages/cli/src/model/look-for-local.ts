/** Looks for model servers on this machine, all at once, within a time limit. */
import { askServer } from "./ask-server.ts";
import type { KnownVendor } from "./known-vendors.ts";
import type { LocalModel } from "./local-servers.ts";
import { localServers } from "./local-servers.ts";

export interface FoundServer {
  readonly vendor: KnownVendor;
  /** "other": a different server answers there. */
  readonly state: "found" | "other" | "absent";
  readonly models: readonly LocalModel[];
}

/** Returns servers in order of preference. Never throws, and never exceeds the time limit. */
export async function lookForLocal(
  vendors: readonly KnownVendor[],
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
): Promise<readonly FoundServer[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const candidates = Object.entries(localServers).flatMap(([id, list]) => {
    const vendor = vendors.find(({ row }) => row.id === id);
    return vendor === undefined ? [] : [{ vendor, list }];
  });
  return Promise.all(
    candidates.map(async ({ vendor, list }): Promise<FoundServer> => {
      const server = askServer(rootOf(vendor), inTime);
      const models = await list(server);
      const state = models === undefined ? "absent" : "found";
      return {
        vendor,
        state: state === "absent" && server.hasAnswered() ? "other" : state,
        models: models ?? [],
      };
    }),
  );
}

/** Address for people: without a user name and password. */
export function placeOf(vendor: KnownVendor): string {
  const address = rootOf(vendor);
  if (!URL.canParse(address)) return "an invalid address";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.replace(/\/$/, "");
}

/** Root of the server's own API, next to the common `/v1`. */
function rootOf({ baseUrl }: KnownVendor): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
}
