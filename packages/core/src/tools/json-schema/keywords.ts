/** Reads the keywords of one schema object, and reports those that violate the specification. */
import type { JsonValue } from "@capstan/kernel";
import { isList, isObject } from "./canonical-json.ts";
import type { Check } from "./check.ts";
import { SchemaProblem, shown } from "./schema-problem.ts";

export type SchemaObject = { readonly [key: string]: JsonValue };

/** Compiles a schema inside another one. */
export type CompileInner = (schema: JsonValue, at: string) => Check;

export class Keywords {
  readonly schema: SchemaObject;
  readonly #at: string;
  readonly #compile: CompileInner;

  constructor(schema: SchemaObject, at: string, compile: CompileInner) {
    this.schema = schema;
    this.#at = at;
    this.#compile = compile;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.schema, name);
  }

  number(name: string): number | undefined {
    return this.#read(name, "a number", (value) => typeof value === "number");
  }

  /** A length or a count. */
  count(name: string): number | undefined {
    return this.#read(name, "a whole number, 0 or more", isCount);
  }

  flag(name: string): boolean {
    return this.#read(name, "true or false", (value) => typeof value === "boolean") ?? false;
  }

  text(name: string): string | undefined {
    return this.#read(name, "a string", (value) => typeof value === "string");
  }

  names(name: string): readonly string[] | undefined {
    return this.#read(name, "a list of strings", isListOfStrings);
  }

  list(name: string): readonly JsonValue[] | undefined {
    return this.#read(name, "a list", isList);
  }

  pattern(name: string): RegExp | undefined {
    const source = this.text(name);
    return source === undefined ? undefined : this.toRegExp(source, name);
  }

  /** Many patterns in use are not valid in Unicode mode, which the specification recommends. */
  toRegExp(source: string, name: string): RegExp {
    try {
      return new RegExp(source, "u");
    } catch {
      // Retried without Unicode mode, which reports invalid patterns.
      try {
        return new RegExp(source);
      } catch {
        throw this.problem(name, `${shown(source)} is not a regular expression`);
      }
    }
  }

  check(name: string): Check | undefined {
    const inner = this.schema[name];
    return inner === undefined ? undefined : this.#compile(inner, this.#pathOf(name));
  }

  /** Returns the checks of a list of schemas. */
  checks(name: string): readonly Check[] | undefined {
    return this.list(name)?.map((inner, index) =>
      this.#compile(inner, `${this.#pathOf(name)}/${index}`),
    );
  }

  /** Returns the checks of an object of schemas. */
  checksByName(name: string): ReadonlyMap<string, Check> | undefined {
    const entries = this.fields(name);
    if (entries === undefined) return undefined;
    const at = this.#pathOf(name);
    return new Map(entries.map(([key, inner]) => [key, this.#compile(inner, `${at}/${key}`)]));
  }

  fields(name: string): readonly (readonly [string, JsonValue])[] | undefined {
    const fields = this.#read(name, "an object", isObject);
    return fields === undefined ? undefined : Object.entries(fields);
  }

  problem(name: string, problem: string): SchemaProblem {
    return new SchemaProblem(this.#pathOf(name), problem);
  }

  #pathOf(name: string): string {
    return `${this.#at}/${name}`;
  }

  #read<Value extends JsonValue>(
    name: string,
    kind: string,
    fits: (value: JsonValue) => value is Value,
  ): Value | undefined {
    if (!this.has(name)) return undefined;
    const value = this.schema[name] ?? null;
    if (!fits(value)) throw this.problem(name, `it must be ${kind}, not ${shown(value)}`);
    return value;
  }
}

function isCount(value: JsonValue): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isListOfStrings(value: JsonValue): value is readonly string[] {
  return isList(value) && value.every((item) => typeof item === "string");
}
