// A process that can be killed at any time: a host on a store that it shares with others. Told what to send, it says when that is safe.

import { createHost } from "@capstan/core";
import type { Host, Session } from "@capstan/core";
import type { StorePlace } from "./stores.ts";
import { openStore } from "./stores.ts";
import { createWorkAgent } from "./work.ts";

export interface WorkerSettings extends StorePlace {
  readonly effectsFile: string;
  readonly leaseMs: number;
}

/** Something that a client says. Saying it again changes nothing. */
export interface Order {
  readonly sessionId: string;
  readonly turnId: string;
  readonly text: string;
}

export type WorkerMessage =
  | { readonly type: "ready" }
  | { readonly type: "accepted"; readonly turnId: string }
  | { readonly type: "refused"; readonly turnId: string; readonly why: string };

const settings = JSON.parse(process.argv[2] ?? "{}") as WorkerSettings;
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
  take(order).catch((thrown: unknown) => {
    tell({ type: "refused", turnId: order.turnId, why: String(thrown) });
  });
});
tell({ type: "ready" });

async function take({ sessionId, turnId, text }: Order): Promise<void> {
  const session = await findOrCreate(sessionId);
  // The first event of a turn is shown when its start is in the log: from then on nothing may be lost.
  for await (const event of session.send(text, { id: turnId })) {
    if (event.type === "error") tell({ type: "refused", turnId, why: event.error.message });
    if (event.type !== "turn_start") continue;
    tell({ type: "accepted", turnId });
    return;
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
