/** A process with a host on a store that others share. It is told what to do over IPC, and tells what happens. */
import { createHost } from "@capstan/core";
import type { TurnResponse } from "@capstan/kernel";
import type { Cursor, SessionEvent } from "@capstan/log";
import { startCursor } from "@capstan/log";
import { openStore } from "../open-store.ts";
import { createWaitingAgent } from "./waiting-agent.ts";

export interface HostSettings {
  readonly kind: string;
  readonly where: string;
  readonly agents: readonly string[];
  readonly leaseMs: number;
  /** Nothing here waits to be let through. */
  readonly isOpen: boolean;
}

export type Command =
  | { readonly type: "send"; readonly sessionId: string; readonly text: string }
  | { readonly type: "follow"; readonly sessionId: string }
  | { readonly type: "finish"; readonly sessionId: string }
  /** Looks for sessions that are due, as it does by itself from time to time. */
  | { readonly type: "look" }
  /** Pending work continues. */
  | { readonly type: "let" }
  | { readonly type: "drain" };

export type Report =
  | { readonly type: "ready" | "waiting" | "finished" | "looked" | "drained" }
  | { readonly type: "response"; readonly response: TurnResponse }
  | { readonly type: "event"; readonly event: SessionEvent; readonly cursor: Cursor };

const settings = JSON.parse(process.argv[2] ?? "{}") as HostSettings;
const gate = Promise.withResolvers<void>();
if (settings.isOpen) gate.resolve();

const store = openStore(settings.kind, settings.where);
const host = createHost({
  agents: settings.agents.map((name) => createWaitingAgent(name, pass)),
  repository: store,
  leaseMs: settings.leaseMs,
  pollMs: 100,
});

process.on("message", (command: Command) => {
  // A failure ends the process, and is reported to its parent.
  obey(command).catch((thrown: unknown) => {
    console.error(thrown);
    process.exit(1);
  });
});
tell({ type: "ready" });

async function obey(command: Command): Promise<void> {
  switch (command.type) {
    case "send": {
      const { sessionId: id, text } = command;
      const session = host.createSession({ id, agent: settings.agents[0] ?? "" });
      return tell({ type: "response", response: await session.send(text).response });
    }
    case "follow": {
      const session = await host.open(command.sessionId);
      const report = (event: SessionEvent, cursor: Cursor): void =>
        tell({ type: "event", event, cursor });
      session.subscribe(report, { after: startCursor });
      return;
    }
    case "finish": {
      const session = await host.open(command.sessionId);
      await session.waitForIdle();
      return tell({ type: "finished" });
    }
    case "look":
      await host.claimDue();
      return tell({ type: "looked" });
    case "let":
      return gate.resolve();
    case "drain":
      await host.close();
      return tell({ type: "drained" });
    default:
      return command satisfies never;
  }
}

async function pass(): Promise<void> {
  tell({ type: "waiting" });
  await gate.promise;
}

function tell(report: Report): void {
  process.send?.(report);
}
