/** Inputs of a turn laid over each other, group by group. */
import type { RunTurnInput } from "@capstan/kernel";

export function overlay<Base extends Partial<RunTurnInput>, Over extends Partial<RunTurnInput>>(
  base: Base,
  over: Over,
): Base & Over {
  return {
    ...base,
    ...over,
    limits: { ...base.limits, ...over.limits },
    context: { ...base.context, ...over.context },
    journal: { ...base.journal, ...over.journal },
    clock: { ...base.clock, ...over.clock },
  };
}
