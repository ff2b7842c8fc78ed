/** A value of a type with all its fields, those that may be absent apart; and what can be done to it. */
import type { z } from "zod";

export type RequiredFields<T> = Omit<T, OptionalNames<T>>;
export type OptionalFields<T> = Required<Pick<T, OptionalNames<T>>>;

type OptionalNames<T> = {
  [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never;
}[keyof T];

export interface Sample {
  readonly schema: z.ZodType;
  readonly required: object;
  readonly optional: object;
}

export interface SampleCase {
  readonly name: string;
  readonly field: string;
  readonly schema: z.ZodType;
  readonly value: unknown;
}

/** Stands in a sample where any JSON may be: another type is not a wrong one there. */
export const anyJson = { any: ["thing", 1, null, true] } as const;

/** The types ask for every field, so that a new one is tried as well. */
export function sample<T>(
  schema: z.ZodType<T>,
  required: RequiredFields<T>,
  optional: OptionalFields<T>,
): Sample {
  return { schema, required, optional };
}

export function whole({ required, optional }: Sample): object {
  return { ...required, ...optional };
}

/** Each field in turn with a value of another type. */
export function wrongFields(name: string, sampled: Sample): SampleCase[] {
  const fields = whole(sampled);
  return Object.entries(fields).map(([field, value]) => ({
    name,
    field,
    schema: sampled.schema,
    value: { ...fields, [field]: anotherType(value) },
  }));
}

/** Each required field in turn left out. */
export function missingFields(name: string, { schema, required, optional }: Sample): SampleCase[] {
  return Object.keys(required).map((field) => {
    const others = Object.entries(required).filter(([other]) => other !== field);
    return { name, field, schema, value: { ...Object.fromEntries(others), ...optional } };
  });
}

/** Each optional field in turn present and undefined, which JSON cannot say. */
export function undefinedFields(name: string, sampled: Sample): SampleCase[] {
  return Object.keys(sampled.optional).map((field) => ({
    name,
    field,
    schema: sampled.schema,
    value: { ...whole(sampled), [field]: undefined },
  }));
}

function anotherType(value: unknown): unknown {
  if (value === anyJson) return Number.NaN;
  if (Array.isArray(value)) return { 0: value[0] };
  switch (typeof value) {
    case "string":
      return 7;
    case "number":
      return String(value);
    case "boolean":
      return String(value);
    default:
      return [value];
  }
}
