/** Converts the kernel's facts to entries: a fact in an envelope, with its turn and its price. */
import type { Fact } from "@capstan/kernel";
import type { Draft } from "./draft.ts";
import type { Entry, EntryEnvelope, EntryOf, FactBody } from "./entries.ts";

/** Model and cost of a fact, which the kernel does not know. */
export interface FactPrice {
  readonly model?: string;
  readonly cost?: number | undefined;
  readonly priceId?: string | undefined;
}

export interface FactContext {
  readonly turnId: string;
  /** Envelope of the next entry, with the seq that it will have unless another process posts first. */
  envelope(): EntryEnvelope & { readonly seq: number };
  /** Without it, entries have no price. */
  price?(fact: Fact): FactPrice | undefined;
}

const noPrice: FactPrice = {};

/** Returns one entry for each fact, in order. */
export function entriesOfFacts(facts: readonly Fact[], context: FactContext): Entry[] {
  return facts.map((fact) => entryOf(fact, context));
}

function entryOf(fact: Fact, context: FactContext): Entry {
  const { v, id, seq, at } = context.envelope();
  const { turnId } = context;
  if (fact.type === "steering_delivered") {
    // A queued message has the id of its entry.
    const ids = fact.messages.map((message) => message.id);
    const outcome = { type: "delivered", step: fact.step } as const;
    return { v, type: "queue_settled", id, seq, at, turnId, ids, outcome };
  }
  // The fact comes first: copying one object and adding fields to it is faster than the reverse.
  const entry: Draft<EntryOf<FactBody["type"]>> = { ...unpriced(fact), v, id, seq, at, turnId };
  const { model, cost, priceId } = context.price?.(fact) ?? noPrice;
  // Only facts that have a model or a price get them.
  const priced = entry as Draft<FactPrice>;
  if (model !== undefined) priced.model = model;
  if (cost !== undefined) priced.cost = cost;
  if (priceId !== undefined) priced.priceId = priceId;
  return entry;
}

/** A cost that a tool reports is kept only if costs are wanted. */
function unpriced<F extends Fact>(fact: F): F {
  if (fact.type !== "tool_result" || fact.cost === undefined) return fact;
  const { cost: _, ...rest } = fact;
  return rest as F;
}
