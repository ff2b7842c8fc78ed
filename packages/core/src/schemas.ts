/** `@capstan/core/schemas`: zod schemas of what crosses a boundary. Apart from the rest, as zod takes longer to load than all of it. */
export { ToolOutputSchema } from "./tools/tool-output-schema.ts";
