/**
 * Schemas of tool inputs. Copies the parts of Standard Schema and Standard JSON Schema (https://standardschema.dev) that a tool needs, as
 * the specification suggests, so that no schema library is required to read them.
 */
import type { JsonValue } from "./conversation.ts";
import type { InputIssue, JsonSchema } from "./tool.ts";

/** Schema of any library that implements Standard Schema with JSON Schema, such as zod 4. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardProps<Input, Output>;
}

/** Properties of a Standard Schema that can also describe itself as JSON Schema. */
export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly jsonSchema: {
    readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
  };
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** Outcome of a validation: the value, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly InputIssue[] };

/** A schema of any library that implements Standard Schema and Standard JSON Schema, or a plain JSON Schema. */
export type InputSchema = StandardSchema | (JsonSchema & { readonly "~standard"?: never });

/** Refuses a list of fields, `{ city: z.string() }`, which would pass for a JSON Schema. */
export type WholeSchema<Schema> = Schema extends StandardSchema
  ? unknown
  : { readonly [Keyword in keyof Schema]: WholeKeyword<Schema[Keyword]> };

type WholeKeyword<Value> = Value extends { readonly "~standard": unknown }
  ? "Pass one schema of all fields, such as z.object({ … })"
  : unknown;

/** Object of JSON. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Input that `execute` gets: the output of the schema, after its defaults and transforms. */
export type InputOf<Schema extends InputSchema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : JsonObject;

/** Input that the model sends: the input of the schema. */
export type SentInputOf<Schema extends InputSchema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : JsonObject;
