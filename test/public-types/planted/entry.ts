export { make } from "./hidden.ts";
export type { Shown } from "./hidden.ts";
