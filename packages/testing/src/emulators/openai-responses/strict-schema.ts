/** Subset of JSON Schema that the service supports in strict mode. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";

const unsupported = ["oneOf", "allOf", "not", "if", "then", "else", "patternProperties"];

/** Returns the vendor's message about the first fault; undefined if there is none. */
export function findStrictFault(schema: JsonObject): string | undefined {
  if (schema["type"] !== "object") {
    const type = schema["type"] === undefined ? "None" : asText(schema["type"]);
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`;
  }
  return faultIn(schema, []);
}

function faultIn(schema: JsonValue, context: readonly string[]): string | undefined {
  if (!isObject(schema)) return undefined;
  const where = `In context=(${context.map((key) => `'${key}'`).join(", ")}${context.length === 1 ? "," : ""})`;
  const forbidden = unsupported.find((key) => key in schema);
  if (forbidden !== undefined) return `${where}, '${forbidden}' is not permitted.`;
  const { type, properties } = schema;
  const isForObjects = type === "object" || (isList(type) && type.includes("object"));
  if (isForObjects) {
    if (schema["additionalProperties"] !== false) {
      return `${where}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const required = isList(schema["required"]) ? schema["required"] : [];
    const missing = Object.keys(isObject(properties) ? properties : {}).find(
      (key) => !required.includes(key),
    );
    if (missing !== undefined) {
      return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    }
  }
  return inner(schema)
    .map(([key, value]) => faultIn(value, [...context, ...key]))
    .find((fault) => fault !== undefined);
}

/** Returns the nested schemas with their paths. */
function inner(schema: JsonObject): (readonly [readonly string[], JsonValue])[] {
  const named = ["properties", "$defs", "definitions"].flatMap((group) => {
    const schemas = schema[group];
    return isObject(schemas)
      ? Object.entries(schemas).map(([key, value]) => [[group, key], value] as const)
      : [];
  });
  const { items, anyOf } = schema;
  return [
    ...named,
    ...(items === undefined ? [] : [[["items"], items] as const]),
    ...(isList(anyOf) ? anyOf.map((value, at) => [["anyOf", String(at)], value] as const) : []),
  ];
}
