/** Turns any return value of a tool into the one result that the model, the log and the readers get. */
import type { JsonValue, ToolContentPart } from "../contracts/conversation.ts";
import type { ToolExecutionEvent, ToolOutput, ToolResult } from "../contracts/tool.ts";
import type { Draft } from "../effects/draft.ts";
import { toJson } from "../effects/json.ts";
import { serializeError } from "../errors/errors.ts";
import { errorResult, silentFailure, thrownResult } from "./tool-result.ts";

const noOutput = "(no output)";
const blankResult: ToolResult = { isError: false, output: "" };

/** Converts a tool's return value to a result. Throws for a value that cannot be serialized. */
export function toToolResult(returned: unknown): ToolResult {
  if (typeof returned === "string") return { ...blankResult, output: returned };
  const parts = toContentParts(returned);
  if (parts !== undefined) return { isError: false, output: cleanParts(parts) };
  if (isEnvelope(returned)) return fromToolOutput(returned);
  if (returned instanceof Error) return thrownResult(returned);
  const problem = problemOf(returned);
  if (problem !== undefined) return invalidReturn(problem);
  return { isError: false, output: JSON.stringify(returned) ?? noOutput };
}

/** Normalises a result from outside to a form that every provider and every log accepts. */
export function cleanResult(result: ToolResult): ToolResult {
  try {
    const { output } = toToolResult(result.output);
    // Untyped code may have created it.
    const given: { readonly isError: unknown } = result;
    const isError = Boolean(given.isError);
    const clean: Draft<ToolResult> = {
      isError,
      output: isError && output === "" ? silentFailure : output,
    };
    const details = toDetails(result.details);
    const meta = toDetails(result.meta);
    if (details !== undefined) clean.details = details;
    if (meta !== undefined) clean.meta = meta;
    if (result.isTerminal === true) clean.isTerminal = true;
    return clean;
  } catch (thrown) {
    return thrownResult(thrown);
  }
}

/** Converts what a streaming tool yields. Undefined for an event of a type that only a newer program knows; throws for anything else. */
export function toExecutionEvent(yielded: unknown): ToolExecutionEvent | undefined {
  if (typeof yielded === "string") return { type: "delta", delta: yielded };
  // Tools written in JavaScript may yield anything.
  const event = yielded as ToolExecutionEvent | null | undefined;
  const type: unknown = event?.type;
  if (typeof type !== "string") throw wrongYield(yielded);
  if (event?.type === "complete") return event;
  if (event?.type !== "delta") return undefined;
  const { delta } = event;
  if (typeof delta !== "string") throw wrongYield(yielded);
  return { type: "delta", delta };
}

function wrongYield(yielded: unknown): TypeError {
  const found = yielded === null ? "null" : `a value of type ${typeof yielded}`;
  return new TypeError(
    `The tool must yield strings, { type: "delta", delta } or { type: "complete", output }, not ${found}`,
  );
}

/** Not one of the loop's own texts, so that a client's bundle does not contain those. */
function invalidReturn(problem: string): ToolResult {
  return errorResult(`The tool returned an invalid result: ${problem}. It may have taken effect.`);
}

/** Values that JSON silently turns into nothing. */
function problemOf(returned: unknown): string | undefined {
  if (typeof returned === "function" || typeof returned === "symbol")
    return `a ${typeof returned} has no JSON form`;
  if (returned instanceof Map || returned instanceof Set)
    return `a ${returned.constructor.name} has no JSON form; return a plain object or a list`;
  return undefined;
}

/** Details are for people: details that are not JSON are replaced by a note, and never decide whether a call succeeded. */
export function toDetails(value: unknown): JsonValue | undefined {
  try {
    return toJson(value);
  } catch (thrown) {
    return `(not shown, because it is not JSON: ${serializeError(thrown).message})`;
  }
}

/**
 * Whether the value is meant as a `ToolOutput`. An envelope with a misspelled or missing field must not be shown to the model as JSON: its
 * details are not for the model.
 */
function isEnvelope(value: unknown): value is { readonly [Field in keyof ToolOutput]?: unknown } {
  if (typeof value !== "object" || value === null) return false;
  return "outputMessage" in value || ("ok" in value && ("details" in value || "meta" in value));
}

function fromToolOutput(value: { readonly [Field in keyof ToolOutput]?: unknown }): ToolResult {
  const { ok: isOk, outputMessage, details, meta } = value;
  if (typeof isOk !== "boolean") return invalidOutput("ok", "a boolean", isOk);
  if (typeof outputMessage !== "string")
    return invalidOutput("outputMessage", "a string", outputMessage);
  const result: Draft<ToolResult> = isOk
    ? { isError: false, output: outputMessage }
    : errorResult(outputMessage);
  const shown = toDetails(details);
  const kept = toDetails(meta);
  if (shown !== undefined) result.details = shown;
  if (kept !== undefined) result.meta = kept;
  return result;
}

function invalidOutput(field: keyof ToolOutput, wanted: string, found: unknown): ToolResult {
  const given = found === undefined ? "missing" : found === null ? "null" : `a ${typeof found}`;
  return invalidReturn(`\`${field}\` of its ToolOutput must be ${wanted}, but is ${given}`);
}

/** Returns copies of the parts if the value is a list of parts only. Reads each field once: a getter may return another value the next time. */
function toContentParts(value: unknown): readonly ToolContentPart[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts: ToolContentPart[] = [];
  for (const each of value as readonly unknown[]) {
    const part = toContentPart(each);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** Copies known fields only. */
function toContentPart(value: unknown): ToolContentPart | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, text, mediaType, data, url, name } = value as { readonly [key: string]: unknown };
  if (type === "text") return typeof text === "string" ? { type, text } : undefined;
  const source =
    typeof data === "string" ? { data } : typeof url === "string" ? { url } : undefined;
  if (typeof mediaType !== "string" || source === undefined) return undefined;
  if (type === "image") return { type, mediaType, ...source };
  if (type !== "document") return undefined;
  return { type, mediaType, ...source, ...(typeof name === "string" && { name }) };
}

/** Drops empty texts: some providers refuse them. */
function cleanParts(parts: readonly ToolContentPart[]): readonly ToolContentPart[] | string {
  const clean = parts.filter((part) => part.type !== "text" || part.text !== "");
  return clean.length === 0 ? noOutput : clean;
}
