/** `@capstan/toolset`: tools that look at the working folder and never leave it. */
export { lsTool } from "./ls.ts";
export type { LsDetails, LsEntry } from "./ls.ts";
export { readTool } from "./read.ts";
export type { ReadDetails } from "./read.ts";
