/** Unions whose members are told apart by a field. */
import { z } from "zod";

type Members<T, Tag extends keyof T> = {
  readonly [Value in T[Tag] & string]: z.ZodType<Extract<T, { readonly [Name in Tag]: Value }>>;
};

/** A member of the union that has no schema here does not compile. */
export function unionOf<T, Tag extends keyof T & string>(
  tag: Tag,
  members: Members<T, Tag>,
): z.ZodType<T> {
  return taggedUnion(tag, Object.values(members));
}

/** For schemas whose types are known to be those of `T`, each an object with the tag. */
export function taggedUnion<T>(tag: string, schemas: readonly z.ZodType[]): z.ZodType<T> {
  // zod wants a tuple of object schemas, which a list made by a program never is for the compiler.
  const options = schemas as unknown as readonly [z.ZodObject, ...z.ZodObject[]];
  return z.discriminatedUnion(tag, options) as unknown as z.ZodType<T>;
}
