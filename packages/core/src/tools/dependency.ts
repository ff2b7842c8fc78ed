/** Things that tools need and do not make themselves: a database, a client, a clock. */

/** How long one value is kept: for one turn, or for as long as the session is open in this process. */
export type DependencyLifetime = "turn" | "session";

/** Gives the value of a dependency; makes it, if nobody has asked before. */
export type GetDependency = <Value>(dependency: Dependency<Value>) => Promise<Value>;

export interface DependencyOptions<Value> {
  /** Default `turn`. */
  readonly scope?: DependencyLifetime;
  /** Called with what the factory made when its scope ends. */
  readonly dispose?: (value: Value) => void | Promise<void>;
}

export interface Dependency<Value> {
  /** For messages. Two dependencies of one name are two dependencies. */
  readonly name: string;
  readonly scope: DependencyLifetime;
  create(get: GetDependency): Value | Promise<Value>;
  dispose?(value: Value): void | Promise<void>;
}

/**
 * `const Db = dependency("db", () => open(), { dispose: (db) => db.close() })`, then `await context.get(Db)` in a tool.
 * The factory may ask for other dependencies.
 */
export function dependency<Value>(
  name: string,
  create: (get: GetDependency) => Value | Promise<Value>,
  options: DependencyOptions<Value> = {},
): Dependency<Value> {
  const { scope = "turn", dispose } = options;
  return { name, scope, create, ...(dispose !== undefined && { dispose }) };
}

/** Another way to make the value of a dependency. */
export interface Override {
  readonly dependency: Dependency<unknown>;
  readonly replacement: Dependency<unknown>;
}

/** The dependency's own `dispose` is for what its own factory made, so it is not called for this one. */
export function override<Value>(
  target: Dependency<Value>,
  create: (get: GetDependency) => NoInfer<Value> | Promise<NoInfer<Value>>,
  options: Pick<DependencyOptions<NoInfer<Value>>, "dispose"> = {},
): Override {
  const { name, scope } = target;
  return {
    dependency: target,
    replacement: dependency<Value>(name, create, { ...options, scope }),
  };
}
