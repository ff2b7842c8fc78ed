/** The variables that a process was started with. */
export type Env = Readonly<Record<string, string | undefined>>;
