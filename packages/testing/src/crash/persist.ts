/** How a client pursues one action: repeatedly, on one host after the other, until it has an answer. */
import type { Session } from "@capstan/core";
import { SessionError } from "@capstan/core";
import { RepositoryError } from "@capstan/log";
import { Killed } from "./life.ts";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

/** `again`: it failed, and may succeed next time. `reopen`: the same, after reopening the session. */
export type Tried = "done" | "again" | "reopen";

export interface Wish {
  readonly on?: string | undefined;
  readonly what: string;
  /** True if the action is void: its session was deleted. */
  isOver?(): boolean;
  /** Tries on this host; `isRepeated` if an earlier try may have had its effect. */
  try(host: SimulatedHost, isRepeated: boolean): Promise<Tried>;
}

/** Delay between two tries on a living host. */
const pauseMs = 150;

export async function persist(world: World, hosts: Hosts, wish: Wish): Promise<void> {
  let isRepeated = false;
  for (;;) {
    if (wish.isOver?.() === true) return;
    const host = await hosts.reach(wish.on, isRepeated);
    const tried = await Promise.race([attempt(world, host, wish, isRepeated), host.life.died]);
    isRepeated = true;
    // An answer just before the process died may not have reached the client.
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

/**
 * Returns the session as this host has it. Fails with `not_found` if the host has another one of its id: the client compares incarnations.
 */
export async function reachSession(
  host: SimulatedHost,
  target: WatchedSession,
  mayCreate = false,
): Promise<Session> {
  const { session } = await host.session(target.id, mayCreate);
  const [found, wanted] = [session.incarnation, target.incarnation];
  if (found === undefined || wanted === undefined || found === wanted) return session;
  throw new SessionError("not_found", `${target.id} is another session by now`);
}

/** Whether a call that failed with this code may succeed later, or on another host. */
export function triedOf(code: string | undefined): Tried {
  // The open session may be one that another host has created, or one that was deleted here.
  if (code === "exists" || code === "host_closed") return "reopen";
  return code === "unavailable" || code === "not_found" ? "again" : "done";
}

/** Returns the code of a refusal by a host or a store. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof SessionError || thrown instanceof RepositoryError
    ? thrown.code
    : undefined;
}
