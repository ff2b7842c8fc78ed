/** From what the kernel hands to its journal to what the log holds. */
import type { Fact } from "@capstan/kernel";
import type { Draft } from "./draft.ts";
import type { Entry, EntryEnvelope, EntryOf } from "./entries.ts";

/** What the kernel does not know of a fact: which model it is of, and what it costs. */
export interface FactPrice {
  readonly model?: string;
  readonly cost?: number | undefined;
  readonly priceId?: string | undefined;
}

export interface FactContext {
  readonly turnId: string;
  /** The envelope of the next entry, with the place that it will have unless somebody posts before. */
  envelope(): EntryEnvelope & { readonly seq: number };
  /** Where it is left out, nothing has a price. */
  price?(fact: Fact): FactPrice | undefined;
}

/** One or two entries for each fact, in their order. */
export function entriesOfFacts(facts: readonly Fact[], context: FactContext): Entry[] {
  const entries: Entry[] = [];
  for (const fact of facts) {
    entries.push(entryOf(fact, context));
    if (fact.type === "message" && fact.pending !== undefined) {
      entries.push(pendingEntry(fact.step, fact.pending, context));
    }
  }
  return entries;
}

type DraftOf<Type extends Entry["type"]> = Draft<EntryOf<Type>>;

/** Field by field: an entry is made for every fact of every turn. */
function entryOf(fact: Fact, context: FactContext): Entry {
  switch (fact.type) {
    case "attempt": {
      const { type, step, attempt, messageId, model, modelIndex } = fact;
      const { v, id, seq, at } = context.envelope();
      const { turnId } = context;
      const entry: DraftOf<"attempt"> = { v, type, id, seq, at, turnId, step, attempt, messageId };
      if (model !== undefined) entry.model = model;
      if (modelIndex !== undefined) entry.modelIndex = modelIndex;
      return entry;
    }
    case "attempt_ended":
      return attemptEnded(fact, context);
    case "message": {
      const { type, step, message } = fact;
      const { v, id, seq, at } = context.envelope();
      const entry: DraftOf<"message"> = {
        v,
        type,
        id,
        seq,
        at,
        turnId: context.turnId,
        step,
        message,
      };
      const cost = context.price?.(fact)?.cost;
      if (cost !== undefined) entry.cost = cost;
      return entry;
    }
    case "pending":
      return pendingEntry(fact.step, fact.pending, context);
    case "tool_intent": {
      const { type, step, toolCallId, key, input } = fact;
      const { v, id, seq, at } = context.envelope();
      const { turnId } = context;
      const entry: DraftOf<"tool_intent"> = { v, type, id, seq, at, turnId, step, toolCallId, key };
      if (input !== undefined) entry.input = input;
      return entry;
    }
    case "tool_result":
      return toolResult(fact, context);
    case "steering_delivered": {
      const { v, id, seq, at } = context.envelope();
      const { turnId } = context;
      // A queued message has the id of its entry.
      const ids = fact.messages.map((message) => message.id);
      const outcome = { type: "delivered", step: fact.step } as const;
      return { v, type: "queue_settled", id, seq, at, turnId, ids, outcome };
    }
    case "turn_ended":
      return { ...context.envelope(), turnId: context.turnId, ...fact, ...cost(fact, context) };
    default:
      return fact satisfies never;
  }
}

function attemptEnded(
  fact: Extract<Fact, { readonly type: "attempt_ended" }>,
  context: FactContext,
): Entry {
  const { type, step, attempt, outcome, usage, timing, error, delayMs } = fact;
  const { v, id, seq, at } = context.envelope();
  const { turnId } = context;
  const entry: DraftOf<"attempt_ended"> = { v, type, id, seq, at, turnId, step, attempt, outcome };
  const price = context.price?.(fact);
  if (usage !== undefined) entry.usage = usage;
  if (price?.model !== undefined) entry.model = price.model;
  if (price?.cost !== undefined) entry.cost = price.cost;
  if (price?.priceId !== undefined) entry.priceId = price.priceId;
  if (timing !== undefined) entry.timing = timing;
  if (error !== undefined) entry.error = error;
  if (delayMs !== undefined) entry.delayMs = delayMs;
  return entry;
}

function toolResult(
  fact: Extract<Fact, { readonly type: "tool_result" }>,
  context: FactContext,
): Entry {
  const { type, step, toolCallId, toolName, result, durationMs, usage } = fact;
  const { v, id, seq, at } = context.envelope();
  const { turnId } = context;
  const entry: DraftOf<"tool_result"> = {
    v,
    type,
    id,
    seq,
    at,
    turnId,
    step,
    toolCallId,
    toolName,
    result,
  };
  if (durationMs !== undefined) entry.durationMs = durationMs;
  if (usage !== undefined) entry.usage = usage;
  const price = context.price?.(fact);
  if (price?.cost !== undefined) entry.cost = price.cost;
  return entry;
}

function pendingEntry(
  step: number,
  pending: EntryOf<"pending">["pending"],
  context: FactContext,
): Entry {
  const { v, id, seq, at } = context.envelope();
  return { v, type: "pending", id, seq, at, turnId: context.turnId, step, pending };
}

function cost(fact: Fact, context: FactContext): { readonly cost?: number } {
  const known = context.price?.(fact)?.cost;
  return known === undefined ? {} : { cost: known };
}
