/** Whether two values are the same JSON: the order of keys does not matter, and undefined fields count as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [fieldsOf(a), fieldsOf(b)];
  if (left.length !== right.length) return false;
  const others = b as Readonly<Record<string, unknown>>;
  return left.every(([name, value]) => Object.hasOwn(b, name) && isSameJson(value, others[name]));
}

/** Repeated input is the same one even if the rights of its sender have changed, or its position in a trace: the first ones count. */
export function withoutSender<Body extends object>(body: Body): Omit<Body, "app" | "trace"> {
  const {
    app: _app,
    trace: _trace,
    ...rest
  } = body as Body & {
    readonly app?: unknown;
    readonly trace?: unknown;
  };
  return rest;
}

function fieldsOf(value: object): [name: string, value: unknown][] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}
