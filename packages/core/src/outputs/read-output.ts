/** `read_output`: lets a model read omitted parts of outputs. */
import type { ToolContent, ToolContentPart, ToolContract, ToolOutput } from "@capstan/kernel";
import { nearestNames } from "../platform/nearest-names.ts";
import type { CompiledInput } from "../tools/compile-input.ts";
import { compileInput } from "../tools/compile-input.ts";
import { fail } from "../tools/tool-output.ts";
import type { AnyTool } from "../tools/tool.ts";
import { readOutputName } from "./output-notes.ts";
import type { PageRequest } from "./output-pages.ts";
import { findIn, pageOf } from "./output-pages.ts";
import type { OutputReader } from "./output-reader.ts";
import { textOf } from "./output-text.ts";

interface ReadInput extends PageRequest {
  readonly reference: string;
  readonly text?: string;
}

const line = { type: "integer", minimum: 1 } as const;

const inputSchema = {
  type: "object",
  properties: {
    reference: { type: "string", description: "Reference from the note that replaced the output." },
    from: { ...line, description: "The first line to read. Default 1." },
    to: { ...line, description: "The last line to read. Default: as many as fit." },
    char: { ...line, description: "First character to read in a very long first line. Default 1." },
    text: {
      type: "string",
      minLength: 1,
      maxLength: 1_000,
      description: "Searches for this literal text instead, and shows the lines around each match.",
    },
  },
  required: ["reference"],
  additionalProperties: false,
} as const;

/** Created at the first call. */
let parse: CompiledInput["parse"] | undefined;

const declaration = {
  name: readOutputName,
  label: "Read an earlier output",
  description:
    "Reads the output of an earlier tool call that was left out or shortened to save space. The note that replaced it has the reference.",
  inputSchema,
  effect: "pure",
  parseInput: (input) => (parse ??= compileInput(readOutputName, inputSchema).parse)(input),
} satisfies ToolContract;

/** A page is at most as long as an output, and at least as long as a paragraph. */
const [minPageChars, maxPageChars] = [1_000, 20_000];

export function readOutputTool(reader: OutputReader, maxChars: number): ToolContract {
  const pageChars = Math.max(minPageChars, Math.min(maxPageChars, maxChars));
  return {
    ...declaration,
    execute: (input: ReadInput) => readPage(reader, input, pageChars),
  };
}

async function readPage(
  reader: OutputReader,
  input: ReadInput,
  pageChars: number,
): Promise<readonly ToolContentPart[] | ToolOutput | string> {
  const completed = reader.complete();
  if (completed !== undefined) await completed;
  const message = reader.find(input.reference);
  if (message === undefined) return fail(unknown(input.reference, reader.references()));
  const content = await reader.read(message);
  if (content === undefined) {
    return fail(`The whole output "${input.reference}" is no longer stored. Call the tool again.`);
  }
  const text = textOf(content);
  if (input.text !== undefined) return findIn(text, input.text, input, pageChars);
  const media = mediaOf(content, input);
  if (media.length === 0) return pageOf(text, input, pageChars);
  if (text === "") return media;
  return [{ type: "text", text: pageOf(text, input, pageChars) }, ...media];
}

/** Media come with the first page only. */
function mediaOf(
  content: ToolContent,
  { from = 1, char = 1 }: ReadInput,
): readonly ToolContentPart[] {
  if (typeof content === "string" || from > 1 || char > 1) return [];
  return content.filter(({ type }) => type !== "text");
}

function unknown(reference: string, known: readonly string[]): string {
  const near = nearestNames(reference, known);
  if (near.length > 0) return `There is no output "${reference}". Near to it: ${near.join(", ")}.`;
  return known.length === 0
    ? `There is no output "${reference}", nor any other yet.`
    : `There is no output "${reference}". The last ones: ${known.slice(0, 3).join(", ")}.`;
}

const extended = new WeakMap<readonly AnyTool[], readonly AnyTool[]>();

/**
 * Adds this tool if there may be something to read. A tool with the same name from the agent or the session takes precedence. It is there from the
 * first request on, so that the prefix of later requests stays the same.
 */
export function withReadOutput(tools: readonly AnyTool[]): readonly AnyTool[] {
  let list = extended.get(tools);
  if (list === undefined) extended.set(tools, (list = extend(tools)));
  return list;
}

function extend(tools: readonly AnyTool[]): readonly AnyTool[] {
  // The output of a tool that ends the turn is not read later.
  const isUseful = tools.some(({ isTerminal }) => isTerminal !== true);
  const isTaken = tools.some(({ name }) => name === readOutputName);
  return isUseful && !isTaken ? [...tools, declaration] : tools;
}
