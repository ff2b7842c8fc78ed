/** Where dependencies live: made once, when they are first asked for, and disposed with their scope. */
import type { Logger } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { background, isPromise, serializeError, toPromise } from "@capstan/kernel";
import type { Dependency, Override } from "./dependency.ts";
import { DependencyError } from "../errors/dependency-error.ts";

export interface ScopeOptions {
  /** They hold in this scope and in those under it. */
  readonly overrides?: readonly Override[];
  /** The scope of the session, for the scope of a turn. A scope without one keeps both kinds. */
  readonly parent?: DependencyScope;
  /** Is told what a `dispose` threw. Default: the parent's. */
  readonly logger?: Logger;
}

export function createScope(options: ScopeOptions = {}): DependencyScope {
  return new DependencyScope(options);
}

const done = Promise.resolve();

interface Made {
  readonly name: string;
  dispose(): unknown;
}

class Contents {
  /** Under way or done. One that failed is forgotten, so that the next one who asks tries again. */
  readonly values = new Map<Dependency<unknown>, Promise<unknown>>();
  /** Which ones each one under way is waiting for. */
  readonly waits = new Map<Dependency<unknown>, Set<Dependency<unknown>>>();
  /** In the order in which they were finished: each one comes after those it was made of. */
  readonly made: Made[] = [];
}

const none: ReadonlyMap<Dependency<unknown>, Dependency<unknown>> = new Map();

export class DependencyScope {
  readonly #parent: DependencyScope | undefined;
  readonly #logger: Logger | undefined;
  readonly #overrides: ReadonlyMap<Dependency<unknown>, Dependency<unknown>>;
  /** Undefined as long as nobody has asked for anything: every turn has a scope, and few need it. */
  #contents: Contents | undefined;
  #disposal: Promise<void> | undefined;

  constructor(options: ScopeOptions = {}) {
    const { parent, overrides } = options;
    this.#parent = parent;
    this.#logger = options.logger ?? (parent === undefined ? undefined : parent.#logger);
    this.#overrides =
      overrides === undefined || overrides.length === 0
        ? none
        : new Map(overrides.map((one) => [one.dependency, one.replacement]));
  }

  /** Rejects with what the factory threw, or with a `DependencyError`. */
  get<Value>(dependency: Dependency<Value>): Promise<Value> {
    return this.#ask(dependency, undefined);
  }

  /**
   * Disposes what was made here, the last one first, and waits for what is still being made. What a `dispose` throws is
   * logged, and the others are disposed all the same. Never rejects.
   */
  dispose(): Promise<void> {
    return (this.#disposal ??= this.#disposeAll());
  }

  /** The same, at once where nobody has asked for anything. */
  end(): MaybePromise<void> {
    if (this.#contents !== undefined) return this.dispose();
    this.#disposal ??= done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #ask<Value>(
    wanted: Dependency<Value>,
    asker: Dependency<unknown> | undefined,
  ): Promise<Value> {
    if (asker?.scope === "session" && wanted.scope === "turn") throw outlived(wanted, asker);
    const home = this.#homeOf(wanted);
    // No cycle leads through another scope: what lives in a parent knows nothing of its children.
    if (home !== this) return home.#ask(wanted, undefined);
    if (this.#disposal !== undefined) throw disposed(wanted);
    // The map has under each dependency what its own factory made.
    if (asker === undefined) return this.#valueOf(wanted) as Promise<Value>;
    const way = this.#wayBetween(wanted, asker);
    if (way !== undefined) throw cycle([asker, ...way]);
    return (await this.#waitFor(wanted, asker)) as Value;
  }

  /** A session's dependency lives in the outermost scope, but not above the scope that replaces it. */
  #homeOf(wanted: Dependency<unknown>): DependencyScope {
    const isHere =
      this.#parent === undefined || wanted.scope === "turn" || this.#overrides.has(wanted);
    return isHere ? this : this.#parent.#homeOf(wanted);
  }

  async #waitFor(wanted: Dependency<unknown>, asker: Dependency<unknown>): Promise<unknown> {
    const all = this.#content.waits;
    const waits = all.get(asker) ?? new Set();
    all.set(asker, waits.add(wanted));
    try {
      return await this.#valueOf(wanted);
    } finally {
      waits.delete(wanted);
    }
  }

  #valueOf(wanted: Dependency<unknown>): Promise<unknown> {
    const { values } = this.#content;
    const known = values.get(wanted);
    if (known !== undefined) return known;
    const value = this.#make(wanted);
    values.set(wanted, value);
    value.catch(() => values.delete(wanted));
    return value;
  }

  get #content(): Contents {
    return (this.#contents ??= new Contents());
  }

  async #make(wanted: Dependency<unknown>): Promise<unknown> {
    const recipe = this.#recipeOf(wanted);
    try {
      const value = await recipe.create((other) => this.#ask(other, wanted));
      this.#content.made.push({ name: wanted.name, dispose: () => recipe.dispose?.(value) });
      return value;
    } finally {
      this.#content.waits.delete(wanted);
    }
  }

  #recipeOf(wanted: Dependency<unknown>): Dependency<unknown> {
    const replacement = this.#overrides.get(wanted);
    if (replacement !== undefined) return replacement;
    return this.#parent === undefined ? wanted : this.#parent.#recipeOf(wanted);
  }

  /** The way along which `from` waits for `to`, if it does: calls that started apart may meet in a circle, too. */
  #wayBetween(
    from: Dependency<unknown>,
    to: Dependency<unknown>,
  ): readonly Dependency<unknown>[] | undefined {
    if (from === to) return [to];
    for (const next of this.#content.waits.get(from) ?? []) {
      const way = this.#wayBetween(next, to);
      if (way !== undefined) return [from, ...way];
    }
    return undefined;
  }

  async #disposeAll(): Promise<void> {
    if (this.#contents === undefined) return;
    const { values, made } = this.#contents;
    await Promise.allSettled(values.values());
    for (const one of made.reverse()) {
      try {
        await one.dispose();
      } catch (thrown) {
        this.#report(one, thrown);
      }
    }
  }

  #report({ name }: Made, thrown: unknown): void {
    const { name: error, message } = serializeError(thrown);
    try {
      const fields = { dependency: name, error };
      const text = `Dispose of "${name}" failed: ${message}`;
      // An async logger is not what the type allows, but its rejection must not end the process.
      const returned: unknown = this.#logger?.log("error", text, fields);
      if (isPromise(returned)) background(toPromise(returned), () => {});
    } catch {
      // A logger's failure is its own, and the others have to be disposed.
    }
  }
}

function outlived(wanted: Dependency<unknown>, asker: Dependency<unknown>): DependencyError {
  const message = `"${asker.name}" is kept for the session and cannot use "${wanted.name}", which ends with the turn: give both the same scope`;
  return new DependencyError("outlived", wanted.name, message);
}

function disposed(wanted: Dependency<unknown>): DependencyError {
  const message = `"${wanted.name}" was asked for after its scope had ended: ask while the turn or session lasts, and keep no \`get\` for later`;
  return new DependencyError("disposed", wanted.name, message);
}

function cycle(way: readonly Dependency<unknown>[]): DependencyError {
  const names = way.map((step) => step.name);
  const message = `Dependencies need each other in a circle: ${names.join(" → ")}. Make what two of them share a dependency of its own`;
  return new DependencyError("cycle", names[0] ?? "", message);
}
