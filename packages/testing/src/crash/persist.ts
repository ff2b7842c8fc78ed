/** How a client goes about one thing that it wants: again and again, on one host after the other, until it has an answer. */
import type { Session } from "@capstan/core";
import { SessionError } from "@capstan/core";
import { RepositoryError } from "@capstan/log";
import { Killed } from "./life.ts";
import type { Hosts, SimulatedHost } from "./simulated-host.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

/** `again`: it did not work, and may the next time. `reopen`: the same, if the session is opened again. */
export type Tried = "done" | "again" | "reopen";

export interface Wish {
  readonly on?: string | undefined;
  readonly what: string;
  /** Whether it came to nothing: the session that it is about was deleted. */
  isOver?(): boolean;
  /** On this host; `isRepeated` if an earlier try may have had its effect. */
  try(host: SimulatedHost, isRepeated: boolean): Promise<Tried>;
}

/** Between two tries on a host that lives. */
const pauseMs = 150;

export async function persist(world: World, hosts: Hosts, wish: Wish): Promise<void> {
  let isRepeated = false;
  for (;;) {
    if (wish.isOver?.() === true) return;
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

/** The session as this host has it. Fails with `not_found` if the host has another one of its id: the client compares what it is told of them. */
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

/** Whether the same call may work later, or elsewhere, if it failed with this code. */
export function triedOf(code: string | undefined): Tried {
  // What is open here may be a session that another host has created, or one that was deleted here.
  if (code === "exists" || code === "host_closed") return "reopen";
  return code === "unavailable" || code === "not_found" ? "again" : "done";
}

/** Of what a host or a store refused. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof SessionError || thrown instanceof RepositoryError
    ? thrown.code
    : undefined;
}
