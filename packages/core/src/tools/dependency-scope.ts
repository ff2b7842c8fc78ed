/** The scope of dependencies: makes each once, on first use, and disposes them at its end. */
import type { Logger } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { background, isPromise, serializeError, toPromise } from "@capstan/kernel";
import type { Dependency, DependencyContext, Override } from "./dependency.ts";
import type { TurnContext } from "./turn-context.ts";
import { noContext } from "./turn-context.ts";
import { DependencyError } from "../errors/dependency-error.ts";

/** Options of `createScope`. */
export interface ScopeOptions {
  /** Apply in this scope and its children. */
  readonly overrides?: readonly Override[];
  /** Scope of the session, for the scope of a turn. A scope without a parent keeps both kinds. */
  readonly parent?: DependencyScope;
  /** Session and turn that factories and tools see. Without it, their ids are empty. */
  readonly context?: DependencyContext;
  /** Logs errors of `dispose`. Default: the parent's. */
  readonly logger?: Logger;
}

/** Creates a scope. The caller must dispose it, which disposes the dependencies that it made. */
export function createScope(options: ScopeOptions = {}): DependencyScope {
  return new DependencyScope(options);
}

const done = Promise.resolve();

interface Made {
  readonly name: string;
  dispose(): unknown;
}

class Contents {
  /** Pending or done. One that failed is removed, so that the next call retries. */
  readonly values = new Map<Dependency<unknown>, Promise<unknown>>();
  /** The dependencies that each pending one is waiting for. */
  readonly waits = new Map<Dependency<unknown>, Set<Dependency<unknown>>>();
  /** In order of completion: each one comes after those it depends on. */
  readonly made: Made[] = [];
}

const none: ReadonlyMap<Dependency<unknown>, Dependency<unknown>> = new Map();

/** Dependencies made so far, one of each. `get` makes what is missing; `dispose` ends them in reverse order. */
export class DependencyScope {
  readonly #parent: DependencyScope | undefined;
  readonly #logger: Logger | undefined;
  readonly #context: DependencyContext | undefined;
  readonly #overrides: ReadonlyMap<Dependency<unknown>, Dependency<unknown>>;
  /** Undefined until the first dependency is requested: every turn has a scope, and few need it. */
  #contents: Contents | undefined;
  #disposal: Promise<void> | undefined;

  constructor(options: ScopeOptions = {}) {
    const { parent, overrides } = options;
    this.#parent = parent;
    this.#context = options.context;
    this.#logger = options.logger ?? (parent === undefined ? undefined : parent.#logger);
    this.#overrides =
      overrides === undefined || overrides.length === 0
        ? none
        : new Map(overrides.map((one) => [one.dependency, one.replacement]));
  }

  /** Rejects with the error of the factory, or with a `DependencyError`. */
  get<Value>(dependency: Dependency<Value>): Promise<Value> {
    return this.#ask(dependency, undefined);
  }

  /** Context of the turn; undefined if this is not the scope of one. */
  get context(): TurnContext | undefined {
    const context = this.#context;
    return context?.turn === undefined
      ? undefined
      : { app: undefined, ...context, turn: context.turn };
  }

  /**
   * Disposes what was made here, the last one first, and waits for what is still being made. Errors of `dispose` are logged, and the others
   * are disposed anyway. Never rejects.
   */
  dispose(): Promise<void> {
    return (this.#disposal ??= this.#disposeAll());
  }

  /** Like `dispose`, but synchronous if no dependency was requested. */
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
    // Cycles never cross scopes: dependencies of a parent do not know its children.
    if (home !== this) return home.#ask(wanted, undefined);
    if (this.#disposal !== undefined) throw disposed(wanted);
    // The map holds for each dependency the value its own factory made.
    if (asker === undefined) return this.#valueOf(wanted) as Promise<Value>;
    const path = this.#pathBetween(wanted, asker);
    if (path !== undefined) throw cycle([asker, ...path]);
    return (await this.#waitFor(wanted, asker)) as Value;
  }

  /** A session's dependency lives in the outermost scope, but not above the scope that overrides it. */
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
      const value = await recipe.create(
        (other) => this.#ask(other, wanted),
        this.#contextOf(wanted),
      );
      this.#content.made.push({ name: wanted.name, dispose: () => recipe.dispose?.(value) });
      return value;
    } finally {
      this.#content.waits.delete(wanted);
    }
  }

  /** A dependency of the session may outlive the turn that needed it first. */
  #contextOf({ scope }: Dependency<unknown>): DependencyContext {
    const context = this.#context ?? noContext;
    return scope === "session" ? { session: context.session } : context;
  }

  #recipeOf(wanted: Dependency<unknown>): Dependency<unknown> {
    const replacement = this.#overrides.get(wanted);
    if (replacement !== undefined) return replacement;
    return this.#parent === undefined ? wanted : this.#parent.#recipeOf(wanted);
  }

  /** Returns the path along which `from` waits for `to`, if it does: calls that started separately may form a cycle, too. */
  #pathBetween(
    from: Dependency<unknown>,
    to: Dependency<unknown>,
  ): readonly Dependency<unknown>[] | undefined {
    if (from === to) return [to];
    for (const next of this.#content.waits.get(from) ?? []) {
      const path = this.#pathBetween(next, to);
      if (path !== undefined) return [from, ...path];
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
      // The type does not allow an async logger, but its rejection must not end the process.
      const returned: unknown = this.#logger?.log("error", text, fields);
      if (isPromise(returned)) background(toPromise(returned), () => {});
    } catch {
      // A logger's failure must not stop the disposal of the others.
    }
  }
}

function outlived(wanted: Dependency<unknown>, asker: Dependency<unknown>): DependencyError {
  const message = `"${asker.name}" lives as long as the session and cannot use "${wanted.name}", which ends with the turn: give both the same scope`;
  return new DependencyError("outlived", wanted.name, message);
}

function disposed(wanted: Dependency<unknown>): DependencyError {
  const message = `"${wanted.name}" was requested after its scope had ended: call \`get\` during the turn or session, and do not keep it for later`;
  return new DependencyError("disposed", wanted.name, message);
}

function cycle(path: readonly Dependency<unknown>[]): DependencyError {
  const names = path.map((step) => step.name);
  const message = `Circular dependency: ${names.join(" → ")}. Move the shared part into its own dependency`;
  return new DependencyError("cycle", names[0] ?? "", message);
}
