/** How values are built on hot paths: optional fields are set one by one, as spreading them costs more. */

/** A value while it is being built. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };
