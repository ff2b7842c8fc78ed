/** Target of a request: a provider with its options, and the tools that the model may call. */
import type { StepChanges } from "../contracts/loop.ts";
import type { AskedModel } from "../contracts/progress.ts";
import type { ProviderContract, ProviderStreamOptions } from "../contracts/provider.ts";
import type { RunTurnInput } from "../contracts/runtime.ts";
import type { ToolContract } from "../contracts/tool.ts";
import { Route } from "./route.ts";

const noOptions: ProviderStreamOptions = Object.freeze({});

type Asking = Pick<RunTurnInput, "provider" | "providerOpts" | "tools">;

export class Target {
  readonly provider: ProviderContract;
  readonly tools: readonly ToolContract[];
  /** Set only if the provider has several models. */
  readonly route: Route | undefined;
  readonly #options: ProviderStreamOptions;
  readonly #named: AskedModel | undefined;

  constructor(asking: Asking, asked: AskedModel | undefined, model?: string) {
    const { provider, providerOpts = noOptions, tools } = asking;
    this.provider = provider;
    this.tools = tools;
    this.#options = providerOpts;
    const { fallback } = provider;
    this.route = fallback && new Route(fallback, providerOpts, asked);
    this.#named = model === undefined ? undefined : { model, index: 0 };
  }

  /** Target of one step. Without changes of provider or options it is this one, so that a fallback stays in use. */
  withChanges(
    { provider, options, tools, model }: StepChanges,
    asked: AskedModel | undefined,
  ): Target {
    if (provider === undefined && options === undefined && tools === undefined) return this;
    const asking = {
      provider: provider ?? this.provider,
      providerOpts: options ?? this.#options,
      tools: tools ?? this.tools,
    };
    return new Target(asking, asked ?? this.route?.asked, model);
  }

  get options(): ProviderStreamOptions {
    return this.route?.options ?? this.#options;
  }

  /** Model of the next request, if there are several. */
  get asked(): AskedModel | undefined {
    return this.route?.asked ?? this.#named;
  }

  /** Provider of the model that is asked. */
  get askedProvider(): ProviderContract {
    return this.route?.model.provider ?? this.provider;
  }
}
