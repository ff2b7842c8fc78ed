/** What writes the summaries of a session: the model of its turn, or one that is only for that. */
import type { ProviderContract, ProviderStreamOptions, Usage } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { andThen } from "@capstan/log";
import type { Model } from "../models/model.ts";
import { modelNamed } from "../models/model.ts";

export interface Summarizer {
  readonly model: Model;
  readonly provider: ProviderContract;
  readonly providerOpts: ProviderStreamOptions;
  /** `name` is that of the model, if the summarizer's falls back on others. */
  cost(usage: Usage | undefined, name?: string): number | undefined;
}

/** A summary needs some room, however short the replies of an agent may be. */
const minSummaryTokens = 8_192;

/** The same options, but for what an answer has to be: a summary is text of its own length. */
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
