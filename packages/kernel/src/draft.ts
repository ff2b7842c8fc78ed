/** A value while it is being built. On hot paths optional fields are set one by one: spreading them costs more. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };
