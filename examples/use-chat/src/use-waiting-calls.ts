/** Approvals that wait in agents below this one. `useChat` hears of those in its own reply alone: an agent in the background asks between two. */
import type { PendingCall } from "@capstan/client";
import { connect } from "@capstan/client";
import { useEffect, useRef, useState } from "react";

export interface WaitingCalls {
  readonly calls: readonly PendingCall[];
  /** Resolves once the answer is stored. */
  decide(call: PendingCall, isApproved: boolean, reason: string): Promise<void>;
}

/** `onTurn` is called when a turn starts, as the answer of an agent in the background does. `isStarted`: the server has the session. */
export function useWaitingCalls(id: string, isStarted: boolean, onTurn: () => void): WaitingCalls {
  const [calls, setCalls] = useState<readonly PendingCall[]>([]);
  const latest = useRef(onTurn);
  useEffect(() => {
    latest.current = onTurn;
  });
  useEffect(() => {
    if (!isStarted) return undefined;
    const client = connect({ url: location.origin, credentials: "same-origin" });
    const session = client.session(id);
    const look = (): void => setCalls(session.state.pendingToolCalls.filter(isBelow));
    session.subscribe((event) => {
      look();
      if (event.type === "turn_start") latest.current();
    });
    const begin = (): void => {
      look();
      if (session.state.status === "running") latest.current();
    };
    // The state before the subscription. A failure is that of the subscription, too, which goes on trying.
    session.refresh().then(begin, () => {});
    return () => client.close();
  }, [id, isStarted]);
  return {
    calls,
    async decide({ toolCallId, hash }, approved, reason) {
      const client = connect({ url: location.origin, credentials: "same-origin" });
      try {
        const answer = { toolCallId, hash, approved, ...(reason !== "" && { reason }) };
        const { error } = await client.session(id).send([answer]).response;
        if (error !== undefined) throw new Error(error.message);
      } finally {
        client.close();
      }
    },
  };
}

function isBelow({ kind, via }: PendingCall): boolean {
  return kind === "approval" && via !== undefined;
}
