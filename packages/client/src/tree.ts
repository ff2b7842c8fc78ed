/** `@capstan/client/tree`: turns with the events of the child sessions that work for them. */
export { execute } from "./tree/execute.ts";
export type { ExecuteTreeOptions } from "./tree/execute.ts";
