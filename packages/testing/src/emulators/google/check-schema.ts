/** The two kinds of schemas: a subset of OpenAPI, whose fields were parsed, and JSON Schema. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { invalidField } from "./errors.ts";

export function checkSchema(schema: JsonObject, path: string): void {
  const { type, properties, required, items, anyOf } = schema;
  if (type === "ARRAY" && items === undefined)
    throw invalidField(`${path}.items`, "missing field.");
  if (schema["enum"] !== undefined && type !== "STRING") {
    throw invalidField(`${path}.enum`, "only allowed for STRING type");
  }
  const declared = isObject(properties) ? properties : {};
  const strays = isList(required) ? required : [];
  const stray = strays.findIndex((key) => !(asText(key) in declared));
  if (stray !== -1) throw invalidField(`${path}.required[${stray}]`, "property is not defined");
  for (const [key, inner] of Object.entries(declared)) {
    if (isObject(inner)) checkSchema(inner, `${path}.properties[${key}]`);
  }
  if (isObject(items)) checkSchema(items, `${path}.items`);
  for (const [index, inner] of (isList(anyOf) ? anyOf : []).entries()) {
    if (isObject(inner)) checkSchema(inner, `${path}.any_of[${index}]`);
  }
}

/** Ignores unknown keywords of JSON Schema; a reference must resolve, and have no siblings. */
export function checkJsonSchema(schema: JsonValue, path: string): void {
  if (!isObject(schema)) throw invalidField(path, "must be a JSON schema object");
  checkReferences(schema, schema, path, "top-level");
}

function checkReferences(inner: JsonValue, root: JsonObject, path: string, location: string): void {
  if (isList(inner)) {
    for (const item of inner) checkReferences(item, root, path, location);
    return;
  }
  if (!isObject(inner)) return;
  const { $ref } = inner;
  if (typeof $ref === "string") {
    if (!leadsSomewhere($ref, root)) {
      throw invalidField(path, `reference to undefined schema at ${location}`);
    }
    const beside = Object.keys(inner).find((key) => !key.startsWith("$"));
    if (beside !== undefined) {
      throw invalidField(path, `'${beside}' may not be set beside '$ref' at ${location}`);
    }
  }
  for (const [key, value] of Object.entries(inner)) {
    // Examples and constants are not schemas.
    if (["enum", "const", "default", "example", "examples"].includes(key)) continue;
    checkReferences(value, root, path, location === "top-level" ? key : `${location}.${key}`);
  }
}

function leadsSomewhere(reference: string, root: JsonObject): boolean {
  if (reference === "#") return true;
  if (!reference.startsWith("#/")) return false;
  let at: JsonValue | undefined = root;
  for (const key of reference.slice(2).split("/")) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) ? at[name] : undefined;
  }
  return at !== undefined;
}
