/** Ties the fields of a schema to those of a type, both ways, so that neither changes without the other. */
import type { z } from "zod";

/** A schema for every field; optional fields are marked as such. */
type FieldsOf<T> = {
  readonly [Name in keyof T]-?: object extends Pick<T, Name>
    ? z.ZodExactOptional<z.ZodType<Required<T>[Name]>>
    : z.ZodType<T[Name]>;
};

/**
 * `FieldsOf` alone would accept a schema that is narrower than the type, such as a list of roles that lacks one, and fields that the type
 * does not have.
 */
type Matches<T, Fields extends z.core.$ZodLooseShape> = [
  T,
  z.output<z.ZodObject<Fields>>,
  keyof Fields,
] extends [z.output<z.ZodObject<Fields>>, T, keyof T]
  ? unknown
  : { readonly "these are not exactly the fields of": T };

/** Returns the fields unchanged. They compile only if they are exactly those of `T`. */
export function fieldsOf<T>(): <Fields extends FieldsOf<T>>(
  fields: Fields & Matches<T, Fields>,
) => FieldsOf<T> {
  return (fields) => fields;
}

/** Likewise for several types at once, by name. */
export function tableOf<Types>(): <
  Table extends { readonly [Name in keyof Types]: FieldsOf<Types[Name]> },
>(
  table: Table & { readonly [Name in keyof Types]: Matches<Types[Name], Table[Name]> },
) => { readonly [Name in keyof Types]: FieldsOf<Types[Name]> } {
  return (table) => table;
}
