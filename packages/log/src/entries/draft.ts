/** Type to build values on hot paths: optional fields are set one by one, because spreading them costs more. */

/** A value under construction. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };
