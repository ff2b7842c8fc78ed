/** Model that writes the summaries of a session: that of the turn, or a separate one. */
import type { ProviderContract, ProviderStreamOptions, Usage } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { andThen } from "@capstan/log";
import type { Model } from "../models/model.ts";
import { modelNamed } from "../models/model.ts";

export interface Summarizer {
  readonly model: Model;
  readonly provider: ProviderContract;
  readonly providerOpts: ProviderStreamOptions;
  /** `name` is the model that answered, if the summarizer has fallbacks. */
  cost(usage: Usage | undefined, name?: string): number | undefined;
}

/** Minimum for a summary, however short the replies of the agent may be. */
const minSummaryTokens = 8_192;

/** Uses the options of the turn except those that shape an answer: a summary is text, with its own length limit. */
export function toSummarizer(
  found: MaybePromise<Omit<Summarizer, "cost">>,
  cost: (usage: Usage | undefined, model: Model) => number | undefined,
): MaybePromise<Summarizer> {
  return andThen(found, ({ model, provider, providerOpts }) => {
    const {
      output: _output,
      toolChoice: _toolChoice,
      stop: _stop,
      maxTokens,
      ...rest
    } = providerOpts;
    const { maxOutputTokens = Infinity } = model.facts ?? {};
    return {
      model,
      provider,
      providerOpts: {
        ...rest,
        ...(maxTokens !== undefined && {
          maxTokens: Math.max(maxTokens, Math.min(minSummaryTokens, maxOutputTokens)),
        }),
      },
      cost: (usage, name) => cost(usage, modelNamed(model, name)),
    };
  });
}
