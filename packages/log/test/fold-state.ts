/** Everything that a fold says, as one value to compare. */
import type { Entry, SessionFold, StoredEntry } from "@capstan/log";

export function stateOf(fold: SessionFold, entries: readonly (Entry | StoredEntry)[]) {
  const { turn, transcript } = fold;
  const refusals = entries.flatMap(({ id }) => {
    const refusal = fold.refusalOf(id);
    return refusal === undefined ? [] : [[id, refusal] as const];
  });
  const ids = entries.map(({ id }) => id);
  const outcomes = ids.map((id) => [id, fold.queues.outcomeOf(id)] as const);
  const compactions = ids.map((id) => [id, fold.compactions.outcomeOf(id)] as const);
  return {
    seq: fold.seq,
    status: fold.status,
    head: fold.head(1_000),
    nextAction: fold.nextAction(1_000),
    config: fold.config,
    acceptedInput: fold.acceptedInput?.id ?? null,
    messages: transcript.messages,
    open: transcript.entryPoint().open ?? null,
    pending: fold.pending,
    queues: fold.queues.items,
    usage: fold.usage.total,
    priced: fold.usage.priced,
    cacheStability: fold.prefix.stability,
    refusals: Object.fromEntries(refusals),
    outcomes: Object.fromEntries(outcomes.filter(([, outcome]) => outcome !== undefined)),
    summary: fold.context.summary ?? null,
    compactions: {
      waiting: fold.compactions.waiting,
      outcomes: Object.fromEntries(compactions.filter(([, outcome]) => outcome !== undefined)),
      triedAtLength: fold.compactions.triedAtLength,
      failedAt: fold.compactions.failedAt ?? null,
    },
    turn: turn === undefined ? null : turnState(turn),
  };
}

function turnState(turn: NonNullable<SessionFold["turn"]>) {
  return {
    turnId: turn.turnId,
    prior: turn.prior(true),
    usage: turn.usage,
    cancelReason: turn.cancelReason ?? null,
    finishReason: turn.end?.finishReason ?? null,
  };
}
