/**
 * Parses JSON as Google's services do, by the fields of their messages: names in either spelling, a single value for a list of one, `null`
 * for nothing, numbers as text. Reports all violations at once.
 */
import type { JsonValue } from "@capstan/kernel";
import { isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusal.ts";
import { invalid } from "./errors.ts";

type Scalar = "string" | "float" | "int32" | "int64" | "bool" | "bytes";

export type ProtoType =
  | { readonly kind: Scalar }
  /** Any JSON value. */
  | { readonly kind: "value" }
  /** Any object. */
  | { readonly kind: "struct" }
  | { readonly kind: "enum"; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: "list" | "map"; readonly of: ProtoType }
  | ProtoMessage;

export interface ProtoMessage {
  readonly kind: "message";
  readonly name: string;
  /** A function, as messages may be recursive. */
  fields(): Readonly<Record<string, ProtoType>>;
  /** Only one of these may be set. */
  readonly oneOf?: readonly string[];
}

export const string: ProtoType = { kind: "string" };
export const float: ProtoType = { kind: "float" };
export const int32: ProtoType = { kind: "int32" };
export const int64: ProtoType = { kind: "int64" };
export const bool: ProtoType = { kind: "bool" };
export const bytes: ProtoType = { kind: "bytes" };
export const value: ProtoType = { kind: "value" };
export const struct: ProtoType = { kind: "struct" };

export function listOf(of: ProtoType): ProtoType {
  return { kind: "list", of };
}

export function mapOf(of: ProtoType): ProtoType {
  return { kind: "map", of };
}

export function oneOfThese(name: string, ...values: readonly string[]): ProtoType {
  return { kind: "enum", name, values };
}

export function message(
  name: string,
  fields: () => Readonly<Record<string, ProtoType>>,
  oneOf?: readonly string[],
): ProtoMessage {
  return { kind: "message", name, fields, ...(oneOf !== undefined && { oneOf }) };
}

interface Violation {
  readonly field: string;
  readonly description: string;
}

/** Returns the message in the fields' spelling. Throws a `Refusal`. */
export function readMessage(type: ProtoMessage, body: JsonObject): JsonObject {
  const reader = new Reader();
  const read = reader.message(type, body, "");
  if (reader.violations.length > 0) throw toRefusal(reader.violations);
  return read;
}

function toRefusal(violations: readonly Violation[]): Refusal {
  return invalid(violations.map(({ description }) => description).join("\n"), [
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: violations.map(({ field, description }) => ({
        ...(field !== "" && { field }),
        description,
      })),
    },
  ]);
}

class Reader {
  readonly violations: Violation[] = [];

  message(type: ProtoMessage, given: JsonObject, path: string): JsonObject {
    const fields = type.fields();
    const read: Record<string, JsonValue> = {};
    for (const [key, inner] of Object.entries(given)) {
      const field = toCamel(key);
      const inside = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (inside === undefined) this.#unknown(key, path, "Cannot find field.");
      else if (isList(inner) && !mayBeList(inside)) {
        this.#unknown(key, path, "Proto field is not repeating, cannot start list.");
      } else if (inner !== null) {
        read[field] = this.#read(
          inside,
          inner,
          path === "" ? toSnake(field) : `${path}.${toSnake(field)}`,
        );
      }
    }
    this.#checkOneOf(type, read, path);
    return read;
  }

  #read(type: ProtoType, given: JsonValue, path: string): JsonValue {
    switch (type.kind) {
      case "value":
        return given;
      case "list": {
        const items = isList(given) ? given : [given];
        return items.map((item, index) => this.#read(type.of, item, `${path}[${index}]`));
      }
      case "map": {
        if (!isObject(given)) return this.#wrong(path, "Map", given);
        const entries = Object.entries(given).map(
          ([key, inner], at) => [key, this.#read(type.of, inner, `${path}[${at}].value`)] as const,
        );
        return Object.fromEntries(entries);
      }
      case "struct":
        if (isObject(given)) return given;
        return this.#wrong(path, "type.googleapis.com/google.protobuf.Struct", given);
      case "message":
        if (isObject(given)) return this.message(type, given, path);
        return this.#wrong(path, fullName(type.name), given);
      case "enum":
        return this.#enum(type, given, path);
      default:
        return this.#scalar(type.kind, given, path);
    }
  }

  /** By name in any case, or by number. */
  #enum(type: Extract<ProtoType, { kind: "enum" }>, given: JsonValue, path: string): JsonValue {
    if (typeof given === "number") return type.values[given] ?? given;
    const named = typeof given === "string" ? given.toUpperCase() : "";
    if (type.values.includes(named)) return named;
    return this.#wrong(path, fullName(type.name), given);
  }

  #scalar(kind: Scalar, given: JsonValue, path: string): JsonValue {
    const type = `TYPE_${kind.toUpperCase()}`;
    if (kind === "bytes" && typeof given === "string" && !isBase64(given)) {
      const shown = given.slice(0, 100);
      return this.#wrong(path, type, given, `Base64 decoding failed for ${JSON.stringify(shown)}`);
    }
    if (!isOfKind(kind, given)) return this.#wrong(path, type, given);
    const isNumber = kind === "float" || kind === "int32" || kind === "int64";
    return isNumber ? Number(given) : given;
  }

  #checkOneOf(type: ProtoMessage, read: JsonObject, path: string): void {
    const [first, second] = (type.oneOf ?? []).filter((key) => read[key] !== undefined);
    if (first === undefined || second === undefined) return;
    const description = `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`;
    this.violations.push({ field: path, description });
  }

  #unknown(key: string, path: string, why: string): void {
    const location = path === "" ? "" : ` at '${path}'`;
    const description = `Invalid JSON payload received. Unknown name "${key}"${location}: ${why}`;
    this.violations.push({ field: path, description });
  }

  #wrong(path: string, type: string, given: JsonValue, why = JSON.stringify(given)): JsonValue {
    this.violations.push({
      field: path,
      description: `Invalid value at '${path}' (${type}), ${why}`,
    });
    return given;
  }
}

function mayBeList({ kind }: ProtoType): boolean {
  return kind === "list" || kind === "value";
}

function isOfKind(kind: Scalar, given: JsonValue): boolean {
  switch (kind) {
    case "string":
    case "bytes":
      return typeof given === "string";
    case "bool":
      return typeof given === "boolean";
    case "float":
      return typeof given === "number" || isNumeral(given);
    case "int32":
    case "int64":
      return Number.isInteger(given) || (isNumeral(given) && Number.isInteger(Number(given)));
    default:
      return kind satisfies never;
  }
}

function isNumeral(given: JsonValue): boolean {
  return typeof given === "string" && given.trim() !== "" && !Number.isNaN(Number(given));
}

/** In either alphabet, padded or not. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1;
}

function fullName(name: string): string {
  return `type.googleapis.com/google.ai.generativelanguage.v1beta.${name}`;
}

function toCamel(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
