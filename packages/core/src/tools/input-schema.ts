/** What a tool's `input` may be, and what follows from it for the types. */
import type { JsonSchema, JsonValue } from "@capstan/kernel";
import type { StandardSchema } from "./standard-schema.ts";

/** A schema of any library that speaks Standard Schema and Standard JSON Schema, or a JSON Schema as it is. */
export type InputSchema = StandardSchema | (JsonSchema & { readonly "~standard"?: never });

export type JsonObject = { readonly [key: string]: JsonValue };

/** What `execute` gets: the output of the schema, after its defaults and transforms. */
export type InputOf<Schema extends InputSchema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : JsonObject;

/** What the model sends: the input of the schema. */
export type SentInputOf<Schema extends InputSchema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : JsonObject;
