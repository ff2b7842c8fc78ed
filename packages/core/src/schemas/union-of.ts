/** Unions whose members are distinguished by a field. */
import { z } from "zod";

type Members<T, Tag extends keyof T> = {
  readonly [Value in T[Tag] & string]: z.ZodType<Extract<T, { readonly [Name in Tag]: Value }>>;
};

/** Does not compile if a member of the union has no schema here. */
export function unionOf<T, Tag extends keyof T & string>(
  tag: Tag,
  members: Members<T, Tag>,
): z.ZodType<T> {
  return taggedUnion(tag, Object.values(members));
}

/** For schemas whose types are known to be those of `T`, each an object with the tag. */
export function taggedUnion<T>(tag: string, schemas: readonly z.ZodType[]): z.ZodType<T> {
  // zod requires a tuple of object schemas, which a computed list never is for the compiler.
  const options = schemas as unknown as readonly [z.ZodObject, ...z.ZodObject[]];
  return z.discriminatedUnion(tag, options) as unknown as z.ZodType<T>;
}
