/** Dependencies of tools: a database, a client, a clock. */
import type { SessionContext, TurnContext } from "./turn-context.ts";

/** Lifetime of a value: one turn, or as long as the session is open in this process. */
export type DependencyLifetime = "turn" | "session";

/** Returns the value of a dependency; makes it on first use. */
export type GetDependency = <Value>(dependency: Dependency<Value>) => Promise<Value>;

/** Options of `dependency`. */
export interface DependencyOptions<Value> {
  /** Default `turn`. */
  readonly scope?: DependencyLifetime;
  /** Called with the factory's value when its scope ends. */
  readonly dispose?: (value: Value) => void | Promise<void>;
}

/** Context of a factory: only a dependency of a turn has a turn. */
export type DependencyContext = SessionContext & Partial<TurnContext>;

/** Recipe for a value that tools need, and how long the value lives. */
export interface Dependency<Value> {
  /** For messages. Two dependencies with the same name are distinct. */
  readonly name: string;
  readonly scope: DependencyLifetime;
  create(get: GetDependency, context: DependencyContext): Value | Promise<Value>;
  dispose?(value: Value): void | Promise<void>;
}

/**
 * Declares a value that tools need: `const Db = dependency("db", () => open(), { dispose: (db) => db.close() })`,
 * then `await context.get(Db)` in a tool. The factory may use other dependencies, and gets the session and the
 * turn it works for.
 */
export function dependency<Value>(
  name: string,
  create: (get: GetDependency, context: TurnContext) => Value | Promise<Value>,
  options?: DependencyOptions<Value> & { readonly scope?: "turn" },
): Dependency<Value>;
/** A value that lives as long as the session is open here: its factory gets the session, and no turn. */
export function dependency<Value>(
  name: string,
  create: (get: GetDependency, context: SessionContext) => Value | Promise<Value>,
  options: DependencyOptions<Value> & { readonly scope: DependencyLifetime },
): Dependency<Value>;
export function dependency<Value>(
  name: string,
  // The context of a dependency of a turn has one.
  create: (get: GetDependency, context: never) => Value | Promise<Value>,
  options: DependencyOptions<Value> = {},
): Dependency<Value> {
  const { scope = "turn", dispose } = options;
  return { name, scope, create, ...(dispose !== undefined && { dispose }) };
}

/** A replacement for the factory of a dependency. */
export interface Override {
  readonly dependency: Dependency<unknown>;
  readonly replacement: Dependency<unknown>;
}

/**
 * Replaces the factory of a dependency, for an agent or a test. The dependency's own `dispose` belongs to its own
 * factory, so it is not called for the replacement.
 */
export function override<Value>(
  target: Dependency<Value>,
  create: (
    get: GetDependency,
    context: DependencyContext,
  ) => NoInfer<Value> | Promise<NoInfer<Value>>,
  options: Pick<DependencyOptions<NoInfer<Value>>, "dispose"> = {},
): Override {
  const { name, scope } = target;
  return {
    dependency: target,
    replacement: dependency<Value>(name, create, { ...options, scope }),
  };
}
