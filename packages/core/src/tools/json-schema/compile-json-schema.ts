/**
 * Compiles a JSON Schema into a check (draft 2020-12; also `definitions` and lists of `items` from older drafts). It changes nothing:
 * defaults are not filled in and keys keep their order. `format` is an annotation, as in the specification.
 */
import type { InputIssue, JsonSchema, JsonValue } from "@capstan/kernel";
import { isList, isObject } from "./canonical-json.ts";
import type { Check } from "./check.ts";
import { Findings } from "./check.ts";
import { combiningChecks } from "./combining-keywords.ts";
import { containerChecks } from "./container-keywords.ts";
import { Keywords } from "./keywords.ts";
import { SchemaProblem, shown } from "./schema-problem.ts";
import { valueChecks } from "./value-keywords.ts";

/** If these were ignored, a value would pass that the author wants refused. */
const unsupported = ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"];

const notSupported =
  "this keyword is not supported: use properties, items and additionalProperties, or pass a schema of a library";

/** Throws a `SchemaProblem` for a schema that it cannot check in full. */
export function compileJsonSchema(schema: JsonSchema): (value: JsonValue) => InputIssue[] {
  const check = new Compilation(toPlainJson(schema)).root();
  return (value) => {
    const findings = new Findings();
    check(value, findings);
    return findings.issues;
  };
}

/** A copy, so that later changes of the schema do not affect the check. */
function toPlainJson(schema: JsonSchema): JsonValue {
  try {
    // JSON.parse returns only JSON.
    return JSON.parse(JSON.stringify(schema)) as JsonValue;
  } catch {
    throw new SchemaProblem(
      "",
      "it is not JSON: use only plain objects, arrays, strings and numbers",
    );
  }
}

class Compilation {
  readonly #document: JsonValue;
  /** Checks by reference; a schema that refers to itself finds the check of its outer one here. */
  readonly #referred = new Map<string, Check>();

  constructor(document: JsonValue) {
    this.#document = document;
  }

  root(): Check {
    return this.#compile(this.#document, "");
  }

  #compile(schema: JsonValue, at: string): Check {
    if (schema === true) return () => {};
    if (schema === false) return (_, findings) => findings.add("is not allowed");
    if (!isObject(schema)) {
      throw new SchemaProblem(
        at,
        `a schema must be an object, true or false, not ${shown(schema)}`,
      );
    }
    const keywords = new Keywords(schema, at, (inner, path) => this.#compile(inner, path));
    for (const name of unsupported) {
      if (keywords.has(name)) throw keywords.problem(name, notSupported);
    }
    const checks = [
      ...this.#refChecks(keywords),
      ...valueChecks(keywords),
      ...containerChecks(keywords),
      ...combiningChecks(keywords),
    ];
    const [only] = checks;
    if (checks.length === 1 && only !== undefined) return only;
    return (value, findings) => {
      for (const check of checks) check(value, findings);
    };
  }

  #refChecks(keywords: Keywords): Check[] {
    const ref = keywords.text("$ref");
    if (ref === undefined) return [];
    const known = this.#referred.get(ref);
    if (known !== undefined) return [known];
    const target: { check?: Check } = {};
    const check: Check = (value, findings) => {
      findings.follow();
      target.check?.(value, findings);
    };
    this.#referred.set(ref, check);
    target.check = this.#compile(this.#lookUp(ref, keywords), ref);
    return [check];
  }

  #lookUp(ref: string, keywords: Keywords): JsonValue {
    if (ref !== "#" && !ref.startsWith("#/")) {
      throw keywords.problem("$ref", `${ref} is not in this schema; only "#/…" is supported`);
    }
    let found: JsonValue | undefined = this.#document;
    for (const segment of ref.split("/").slice(1)) {
      found = childOf(found, toKey(segment));
      if (found === undefined) throw keywords.problem("$ref", `${ref} is missing: define it`);
    }
    return found;
  }
}

/** A segment of a JSON pointer in a URI, as in RFC 6901. */
function toKey(segment: string): string {
  return decode(segment).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // An unencoded percent sign stands for itself.
    return segment;
  }
}

function childOf(value: JsonValue, key: string): JsonValue | undefined {
  if (isList(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
