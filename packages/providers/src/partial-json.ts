/** `@capstan/providers/partial-json`: parses JSON that is still being written, for display. */
export { parsePartialJson } from "@capstan/kernel";
