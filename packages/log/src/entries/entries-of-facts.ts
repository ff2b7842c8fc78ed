/** Converts the kernel's facts to entries: a fact in an envelope, with its turn and its price. */
import type { Fact } from "@capstan/kernel";
import type { Draft } from "./draft.ts";
import type { Entry, EntryEnvelope, EntryOf } from "./entries.ts";

/** Model and cost of a fact, which the kernel does not know. */
export interface FactPrice {
  readonly model?: string;
  readonly cost?: number | undefined;
  readonly priceId?: string | undefined;
}

/** Turn of the facts, envelopes for their entries, and prices. */
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

/** Facts that every step has are written field by field: entries made from a spread have shapes that each later reader pays for. */
function entryOf(fact: Fact, context: FactContext): Entry {
  const { v, id, seq, at } = context.envelope();
  const { turnId } = context;
  switch (fact.type) {
    case "attempt": {
      const { type, step, attempt, messageId, model, modelIndex } = fact;
      const entry: DraftOf<"attempt"> = { v, type, id, seq, at, turnId, step, attempt, messageId };
      if (model !== undefined) entry.model = model;
      if (modelIndex !== undefined) entry.modelIndex = modelIndex;
      return entry;
    }
    case "attempt_ended": {
      const { type, step, attempt, outcome, model, usage, timing, error, delayMs, rejected } = fact;
      const entry: DraftOf<"attempt_ended"> = {
        v,
        type,
        id,
        seq,
        at,
        turnId,
        step,
        attempt,
        outcome,
      };
      if (model !== undefined) entry.model = model;
      if (usage !== undefined) entry.usage = usage;
      if (timing !== undefined) entry.timing = timing;
      if (error !== undefined) entry.error = error;
      if (delayMs !== undefined) entry.delayMs = delayMs;
      if (rejected !== undefined) entry.rejected = rejected;
      return priced(entry, fact, context);
    }
    case "message": {
      const { type, step, message } = fact;
      const entry: DraftOf<"message"> = { v, type, id, seq, at, turnId, step, message };
      return priced(entry, fact, context);
    }
    case "tool_intent": {
      const { type, step, toolCallId, key, input } = fact;
      const entry: DraftOf<"tool_intent"> = { v, type, id, seq, at, turnId, step, toolCallId, key };
      if (input !== undefined) entry.input = input;
      return entry;
    }
    case "tool_result": {
      // The cost that a tool reports is recorded only if costs are wanted, as its price.
      const { type, step, toolCallId, toolName, result, durationMs, usage } = fact;
      const call = { v, type, id, seq, at, turnId, step, toolCallId, toolName, result };
      const entry: DraftOf<"tool_result"> = call;
      if (durationMs !== undefined) entry.durationMs = durationMs;
      if (usage !== undefined) entry.usage = usage;
      return priced(entry, fact, context);
    }
    case "steering_delivered": {
      // A queued message has the id of its entry.
      const ids = fact.messages.map((message) => message.id);
      const outcome = { type: "delivered", step: fact.step } as const;
      return { v, type: "queue_settled", id, seq, at, turnId, ids, outcome };
    }
    case "step_prepared":
    case "input_rejected":
    case "pending":
    case "turn_ended":
      return priced({ ...fact, v, id, seq, at, turnId }, fact, context);
    case "nested_intent":
      return { ...fact, v, id, seq, at, turnId };
    case "suspended": {
      // As for a result: a reported cost is recorded only if costs are wanted.
      const { cost: _cost, ...suspended } = fact;
      return priced({ ...suspended, v, id, seq, at, turnId }, fact, context);
    }
    case "nested_result": {
      const { cost: _cost, ...nested } = fact;
      return priced({ ...nested, v, id, seq, at, turnId }, fact, context);
    }
    default:
      return fact satisfies never;
  }
}

type DraftOf<Type extends Entry["type"]> = Draft<EntryOf<Type>>;

/** Adds model and price, if the fact has them. */
function priced<E extends Entry>(entry: E, fact: Fact, context: FactContext): E {
  const { model, cost, priceId } = context.price?.(fact) ?? noPrice;
  // Only facts that have them are given a model or a price.
  const draft = entry as Draft<FactPrice>;
  if (model !== undefined) draft.model = model;
  if (cost !== undefined) draft.cost = cost;
  if (priceId !== undefined) draft.priceId = priceId;
  return entry;
}
