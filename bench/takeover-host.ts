/** A host whose turns stand still in a tool: that of `takeover.ts`, and of the process that it kills. */
import type { Host } from "@capstan/core";
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { ProviderContract, ProviderPart } from "@capstan/kernel";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { postgres } from "@capstan/stores/postgres";
import { sqlite } from "@capstan/stores/sqlite";
import type { DurableKind } from "./subject.ts";

export const leaseMs = 3_000;
export const pollMs = 1_000;

export interface TakeoverOrder {
  readonly kind: DurableKind;
  readonly where: string;
  readonly sessions: number;
  readonly slots: number;
}

const model: ProviderContract = {
  id: "planned",
  contextWindow: 1_000_000,
  async *stream(): AsyncGenerator<ProviderPart> {
    yield { type: "toolcall_start", index: 0, name: "stand" };
    yield { type: "toolcall_delta", index: 0, delta: "{}" };
    yield { type: "toolcall_end", index: 0 };
    yield { type: "finish", reason: "tool-calls" };
  },
};

/** `onCall` is told of the session whose tool has begun; the turn ends when what it gives resolves. */
export function createStandingHost(
  { kind, where, slots }: TakeoverOrder,
  onCall: (sessionId: string) => Promise<void>,
): { readonly host: Host; readonly store: StoreHandle } {
  const stand = defineTool({
    name: "stand",
    description: "Stands still",
    effect: "idempotent",
    input: { type: "object" },
    execute: async (_, { sessionId }) => {
      await onCall(sessionId);
      return { ok: true, outputMessage: "It stood", isTerminal: true };
    },
  });
  const agent = createAgent({
    name: "stander",
    model,
    tools: [stand],
    maxSteps: 1,
    closing: false,
  });
  const store = kind === "sqlite" ? sqlite(where) : postgres(where);
  const host = createHost({ agents: [agent], repository: store, leaseMs, pollMs, maxTurns: slots });
  return { host, store };
}
