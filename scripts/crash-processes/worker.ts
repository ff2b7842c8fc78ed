// A process that can be killed at any time: a host on a store that it shares with others. Told what to send, it says when that is safe.

import { createHost } from "@capstan/core";
import type { Host, Session } from "@capstan/core";
import { DeadOwners } from "../../packages/stores/src/postgres/dead-owners.ts";
import type { StorePlace } from "./stores.ts";
import { openStore } from "./stores.ts";
import { createWorkAgent } from "./work.ts";

export interface WorkerSettings extends StorePlace {
  readonly effectsFile: string;
  readonly leaseMs: number;
}

/** Something that a client wants: to say something, or to delete its session. Wanting it again changes nothing. */
export interface Order {
  /** Tells orders apart, also those that want the same. */
  readonly n: number;
  readonly sessionId: string;
  readonly turnId: string;
  /** Undefined: the session is to be deleted. */
  readonly text: string | undefined;
}

export type WorkerMessage =
  | { readonly type: "ready" }
  | { readonly type: "accepted" | "refused"; readonly sessionId: string; readonly turnId: string }
  /** Nothing more comes of this order. */
  | { readonly type: "over"; readonly n: number }
  /** This process has ended leases of processes whose connection had ended. */
  | { readonly type: "takeover" };

const settings = JSON.parse(process.argv[2] ?? "{}") as WorkerSettings;
tellTakeovers();
const { repository } = await openStore(settings);
const host: Host = createHost({
  agents: [createWorkAgent(settings.effectsFile)],
  repository,
  leaseMs: settings.leaseMs,
  pollMs: 100,
  // The database is killed as well. Everything else on the error stream is a problem.
  onError({ where, error }) {
    if (where !== "store" && where !== "claim") console.error(`${where}: ${String(error)}`);
  },
});

process.on("message", (order: Order) => {
  const { n, sessionId, turnId } = order;
  take(order)
    .catch(() => tell({ type: "refused", sessionId, turnId }))
    .finally(() => tell({ type: "over", n }));
});
tell({ type: "ready" });

/** No store says so to its callers. */
function tellTakeovers(): void {
  const { endLeases } = DeadOwners.prototype;
  DeadOwners.prototype.endLeases = async function (this: DeadOwners): Promise<boolean> {
    const hasEnded = await endLeases.call(this);
    if (hasEnded) tell({ type: "takeover" });
    return hasEnded;
  };
}

async function take({ sessionId, turnId, text }: Order): Promise<void> {
  if (text === undefined) {
    await host.delete(sessionId);
    return tell({ type: "accepted", sessionId, turnId });
  }
  const session = await findOrCreate(sessionId);
  // The first event of a turn is shown when its start is in the log: from then on nothing may be lost.
  for await (const event of session.send(text, { id: turnId })) {
    if (event.type === "error") tell({ type: "refused", sessionId, turnId });
    if (event.type !== "turn_start") continue;
    return tell({ type: "accepted", sessionId, turnId });
  }
}

async function findOrCreate(sessionId: string): Promise<Session> {
  try {
    return await host.open(sessionId);
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== "not_found") throw thrown;
    return host.createSession({ id: sessionId, agent: "worker" });
  }
}

function tell(message: WorkerMessage): void {
  process.send?.(message);
}
