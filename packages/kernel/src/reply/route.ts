/** Chooses the model of each attempt: the next one after a failure that the provider falls back on. */
import type { Fallback, FallbackModel, ProviderStreamOptions } from "../contracts/provider.ts";
import type { AskedModel } from "../contracts/progress.ts";
import { serializeError } from "../errors/errors.ts";

/** Headers that may carry a key: they are for the provider of the first model. */
const secretHeader = /auth|cookie|key|secret|token/i;

export class Route {
  readonly #fallback: Fallback;
  readonly #options: ProviderStreamOptions;
  readonly #optionsOf = new Map<number, ProviderStreamOptions>();
  #index: number;
  /** Number of models asked since the step began, or since all of them had failed. */
  #asked = 1;

  /** Continues with the model that was asked last, or with the next one if that failed. */
  constructor(fallback: Fallback, options: ProviderStreamOptions, asked: AskedModel | undefined) {
    this.#fallback = fallback;
    this.#options = options;
    this.#index = asked === undefined ? 0 : indexOf(fallback.models, asked);
    if (asked?.failedWith !== undefined && fallback.on.includes(asked.failedWith)) this.#advance();
  }

  get index(): number {
    return this.#index;
  }

  get model(): FallbackModel {
    // The index is always within the list, which has at least one model.
    return this.#fallback.models[this.#index] as FallbackModel;
  }

  /** Options for the model that is asked: its own id and facts, and no key of another model. */
  get options(): ProviderStreamOptions {
    const known = this.#optionsOf.get(this.#index);
    if (known !== undefined) return known;
    const options = this.#index === 0 ? this.#options : withoutKeys(this.#options);
    const { model: _, modelFacts, ...rest } = options;
    const { id, facts = this.#index === 0 ? modelFacts : undefined } = this.model;
    const own = {
      ...rest,
      ...(id !== "" && { model: id }),
      ...(facts !== undefined && { modelFacts: facts }),
    };
    this.#optionsOf.set(this.#index, own);
    return own;
  }

  get asked(): AskedModel {
    return { model: nameOf(this.model), index: this.#index };
  }

  startStep(): void {
    this.#asked = 1;
  }

  /** Selects the next model, unless all have failed or the failure is not one to fall back on. */
  takesOver(thrown: unknown): boolean {
    if (!this.#isPassedOn(thrown) || this.#asked >= this.#fallback.models.length) return false;
    this.#asked++;
    this.#advance();
    return true;
  }

  /** Starts over if all models have failed. After another failure the same model is retried. */
  startOver(thrown: unknown): void {
    if (!this.#isPassedOn(thrown)) return;
    this.#asked = 1;
    this.#advance();
  }

  #isPassedOn(thrown: unknown): boolean {
    // Checks the shape: the error may come from another copy of the package.
    const { code } = serializeError(thrown);
    return code !== undefined && this.#fallback.on.includes(code);
  }

  #advance(): void {
    this.#index = (this.#index + 1) % this.#fallback.models.length;
  }
}

/** Name as in logs and events. */
function nameOf({ provider, id }: Pick<FallbackModel, "id" | "provider">): string {
  return id === "" ? provider.id : `${provider.id}/${id}`;
}

/** Several models may share a name: hosts of the same model. The list may have changed since. */
function indexOf(models: readonly FallbackModel[], { model, index }: AskedModel): number {
  const same = models[index];
  if (same !== undefined && nameOf(same) === model) return index;
  return Math.max(
    0,
    models.findIndex((candidate) => nameOf(candidate) === model),
  );
}

function withoutKeys(options: ProviderStreamOptions): ProviderStreamOptions {
  const { apiKey: _key, headers, ...rest } = options;
  if (headers === undefined) return rest;
  const plain = Object.entries(headers).filter(([name]) => !secretHeader.test(name));
  return { ...rest, headers: Object.fromEntries(plain) };
}
