/** Splits arguments into pieces, each with its JSON path. Values without leaves have no piece. */
import type { JsonValue } from "@capstan/kernel";
import { isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";

export function toPartialArgs(value: JsonValue, path = "$"): JsonObject[] {
  if (isList(value)) {
    return value.flatMap((item, index) => toPartialArgs(item, `${path}[${index}]`));
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      toPartialArgs(inner, `${path}${toSegment(key)}`),
    );
  }
  if (typeof value === "string") {
    const rest = { jsonPath: path, stringValue: "" };
    // A string ends with an empty piece.
    return value === ""
      ? [rest]
      : [{ jsonPath: path, stringValue: value, willContinue: true }, rest];
  }
  if (typeof value === "number") return [{ jsonPath: path, numberValue: value }];
  if (typeof value === "boolean") return [{ jsonPath: path, boolValue: value }];
  return [{ jsonPath: path, nullValue: "NULL_VALUE" }];
}

function toSegment(key: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return `.${key}`;
  return `['${key.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
}
