/** One list of what a turn records, shows and does, in its order. */
import type { AgentEvent, EventEmitter, Fact, Journal, ProviderContract } from "@capstan/kernel";

export interface Diary {
  /** For example `fact attempt`, `event attempt_start`, `effect request`. Parts of messages under way are left out. */
  readonly entries: readonly string[];
  /** The calls of the journal, each with the types of its facts. */
  readonly calls: readonly (readonly Fact["type"][])[];
  readonly facts: readonly Fact[];
  /** Input of the turn; the journal answers synchronously. */
  readonly hooks: {
    readonly journal: { readonly record: Journal };
    readonly emit: EventEmitter;
  };
  /** Notes an effect. */
  readonly note: (effect: string) => void;
  /** Wraps a provider so that each of its requests is an effect. */
  readonly watch: (provider: ProviderContract) => ProviderContract;
}

export function keepDiary(): Diary {
  const entries: string[] = [];
  const calls: Fact["type"][][] = [];
  const facts: Fact[] = [];
  const note = (effect: string): void => {
    entries.push(`effect ${effect}`);
  };
  const record: Journal = (added) => {
    facts.push(...added);
    calls.push(added.map((fact) => fact.type));
    for (const fact of added) entries.push(`fact ${fact.type}`);
  };
  const emit: EventEmitter = (event) => {
    if (!isPartUnderWay(event)) entries.push(`event ${event.type}`);
  };
  return {
    entries,
    calls,
    facts,
    hooks: { journal: { record }, emit },
    note,
    watch: (provider) => {
      return {
        id: provider.id,
        stream: (request) => {
          note("request");
          return provider.stream(request);
        },
      };
    },
  };
}

function isPartUnderWay({ type }: AgentEvent): boolean {
  return /^(text|thinking|toolcall)_/.test(type);
}

/** The facts of one type. */
export function factsOfType<Type extends Fact["type"]>(
  facts: readonly Fact[],
  type: Type,
): Extract<Fact, { type: Type }>[] {
  return facts.filter((fact): fact is Extract<Fact, { type: Type }> => fact.type === type);
}
