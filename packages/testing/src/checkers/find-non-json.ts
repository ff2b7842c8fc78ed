/** Finds values that would be lost or changed in a JSON round trip. */

export interface NonJsonValue {
  /** For example `content[0].input.when`; empty for the value itself. */
  readonly path: string;
  /** For example `a Date`. */
  readonly what: string;
}

/** An `undefined` property counts as absent; an `undefined` element does not. */
export function findNonJson(value: unknown): NonJsonValue[] {
  const found: NonJsonValue[] = [];
  visit(value, "", new Set(), found);
  return found;
}

function visit(value: unknown, path: string, parents: Set<object>, found: NonJsonValue[]): void {
  if (typeof value !== "object" || value === null) {
    const what = describeNonJsonScalar(value);
    if (what !== undefined) found.push({ path, what });
    return;
  }
  const what = parents.has(value) ? "a reference to its own parent" : describeInstance(value);
  if (what !== undefined) {
    found.push({ path, what });
    return;
  }
  parents.add(value);
  if (Array.isArray(value)) {
    // By index, as most other ways to visit an array skip holes.
    for (let at = 0; at < value.length; at += 1) visit(value[at], `${path}[${at}]`, parents, found);
  } else {
    for (const [key, inner] of Object.entries(value)) {
      if (inner !== undefined) visit(inner, path === "" ? key : `${path}.${key}`, parents, found);
    }
  }
  parents.delete(value);
}

function describeNonJsonScalar(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (value === undefined) return "undefined";
  return ["bigint", "function", "symbol"].includes(typeof value) ? `a ${typeof value}` : undefined;
}

function describeInstance(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  return `a ${value.constructor.name}`;
}
