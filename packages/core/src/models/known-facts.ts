/** Completes a model with facts of the registry that its author did not state. */
import type { MaybePromise } from "@capstan/log";
import { andThen } from "@capstan/log";
import type { ModelRegistry } from "./registry.ts";
import { createModelRegistry } from "./registry.ts";
import { snapshotVendors } from "./snapshot.ts";
import type { Model } from "./model.ts";
import { vendorOf } from "./model.ts";

let snapshot: ModelRegistry | undefined;

/** Synchronous once the facts are known. Models of vendors that the snapshot lacks stay unchanged. */
export function withFacts(
  found: MaybePromise<Model>,
  registry: ModelRegistry | undefined,
): MaybePromise<Model> {
  return andThen(found, (model) =>
    andThen(completed(model, registry), (known) => routed(known, registry)),
  );
}

/** Fallback models have their own facts. */
function routed(model: Model, registry: ModelRegistry | undefined): MaybePromise<Model> {
  const { fallback } = model.provider;
  if (fallback === undefined) return model;
  const resolved = fallback.models.reduce<MaybePromise<readonly Model[]>>(
    (before, member) =>
      andThen(before, (models) =>
        andThen(completed(member, registry), (known) => [...models, known]),
      ),
    [],
  );
  return andThen(resolved, (models) => ({
    ...model,
    provider: { ...model.provider, fallback: { ...fallback, models } },
  }));
}

function completed(model: Model, registry: ModelRegistry | undefined): MaybePromise<Model> {
  const isWhole = model.facts !== undefined && model.price !== undefined;
  if (isWhole) return model;
  if (registry !== undefined) return registry.complete(model);
  const isKnown = snapshotVendors.includes(vendorOf(model));
  return isKnown ? (snapshot ??= createModelRegistry()).complete(model) : model;
}
