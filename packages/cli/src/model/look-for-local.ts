/** Looks for servers of models on this machine, all at once and not for long. */
import { askServer } from "./ask-server.ts";
import type { KnownVendor } from "./known-vendors.ts";
import type { LocalModel } from "./local-servers.ts";
import { localServers } from "./local-servers.ts";

export interface FoundServer {
  readonly vendor: KnownVendor;
  /** "other": something is there, and it is not that. */
  readonly state: "found" | "other" | "absent";
  readonly models: readonly LocalModel[];
}

/** In the order of preference. Never throws, and never takes longer than it is given. */
export async function lookForLocal(
  vendors: readonly KnownVendor[],
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
): Promise<readonly FoundServer[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const places = Object.entries(localServers).flatMap(([id, list]) => {
    const vendor = vendors.find(({ row }) => row.id === id);
    return vendor === undefined ? [] : [{ vendor, list }];
  });
  return Promise.all(
    places.map(async ({ vendor, list }): Promise<FoundServer> => {
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

/** For people: without a name and a password that may be in it. */
export function placeOf(vendor: KnownVendor): string {
  const address = rootOf(vendor);
  if (!URL.canParse(address)) return "an address that is none";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.replace(/\/$/, "");
}

/** Where the server's own API is: beside the one that all of them have. */
function rootOf({ baseUrl }: KnownVendor): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
}
