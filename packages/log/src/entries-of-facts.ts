/** From what the kernel hands to its journal to what the log holds. */
import type { Fact } from "@capstan/kernel";
import type { EntryEnvelope, NewEntry, OwnedBody } from "./entries.ts";

export interface FactContext {
  readonly turnId: string;
  /** The envelope of the next entry. */
  envelope(): EntryEnvelope;
}

/** One or two entries for each fact, in their order. */
export function entriesOfFacts(facts: readonly Fact[], context: FactContext): NewEntry[] {
  const entries: NewEntry[] = [];
  for (const fact of facts) {
    for (const body of bodiesOf(fact, context.turnId)) {
      entries.push({ ...context.envelope(), ...body });
    }
  }
  return entries;
}

function bodiesOf(fact: Fact, turnId: string): readonly OwnedBody[] {
  switch (fact.type) {
    case "message": {
      const { pending, ...message } = fact;
      if (pending === undefined) return [{ ...message, turnId }];
      return [
        { ...message, turnId },
        { type: "pending", turnId, step: fact.step, pending },
      ];
    }
    case "steering_delivered": {
      // A queued message has the id of its entry.
      const ids = fact.messages.map((message) => message.id);
      const outcome = { type: "delivered", step: fact.step } as const;
      return [{ type: "queue_settled", turnId, ids, outcome }];
    }
    case "attempt":
    case "attempt_ended":
    case "pending":
    case "tool_intent":
    case "tool_result":
    case "turn_ended":
      return [{ ...fact, turnId }];
    default:
      return fact satisfies never;
  }
}
