/** How a client goes about one thing that it wants: again and again, on one host after the other, until it has an answer. */
import { SessionError } from "@capstan/core";
import { RepositoryError } from "@capstan/log";
import { Killed } from "./life.ts";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import type { World } from "./world.ts";

/** `again`: it did not work, and may the next time. `reopen`: the same, if the session is opened; another host has created it. */
export type Tried = "done" | "again" | "reopen";

export interface Wish {
  readonly on?: string | undefined;
  readonly what: string;
  /** On this host; `isRepeated` if an earlier try may have had its effect. */
  try(host: SimulatedHost, isRepeated: boolean): Promise<Tried>;
}

/** Between two tries on a host that lives. */
const pauseMs = 150;

export async function persist(world: World, hosts: Hosts, wish: Wish): Promise<void> {
  let isRepeated = false;
  for (;;) {
    const host = await hosts.reach(wish.on, isRepeated);
    const tried = await Promise.race([attempt(world, host, wish, isRepeated), host.life.died]);
    isRepeated = true;
    // What came just before the end of the process may not have reached the client.
    if (tried === undefined || host.life.isDead) continue;
    if (tried === "done") return;
    if (tried === "reopen") host.forgetSessions();
    await world.clock.sleep(pauseMs);
  }
}

async function attempt(
  world: World,
  host: SimulatedHost,
  wish: Wish,
  isRepeated: boolean,
): Promise<Tried> {
  try {
    return await wish.try(host, isRepeated);
  } catch (thrown) {
    if (thrown instanceof Killed || host.life.isDead) return "again";
    const tried = triedOf(codeOf(thrown));
    if (tried !== "done") return tried;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    world.violations.add("failure", `${wish.what} failed: ${message}`);
    return "done";
  }
}

/** Whether the same call may work later, or elsewhere, if it failed with this code. */
export function triedOf(code: string | undefined): Tried {
  if (code === "exists") return "reopen";
  return code === "unavailable" || code === "host_closed" || code === "not_found"
    ? "again"
    : "done";
}

/** Of what a host or a store refused. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof SessionError || thrown instanceof RepositoryError
    ? thrown.code
    : undefined;
}
