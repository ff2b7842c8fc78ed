/** The exact input of a call that waits for an approval, as lines. */
import type { JsonValue } from "@capstan/kernel";
import type { Asking } from "../../permissions/decision.ts";
import type { Typesetter } from "../screen/contracts.ts";
import { safeText } from "../render/safe-text.ts";
import type { Theme } from "../render/theme.ts";

interface Call {
  readonly toolName: string;
  readonly input: JsonValue;
}

interface Tools {
  readonly theme: Theme;
  readonly typesetter: Typesetter;
}

/** Nothing is left out: text that is approved must be visible. */
export function describeInput(call: Call, width: number, tools: Tools): readonly string[] {
  const fields = fieldsOf(call.input);
  const { command, path, content, edits } = fields;
  const others = Object.entries(fields).filter(
    ([name]) => !["command", "path", "content", "edits", "old", "new"].includes(name),
  );
  if (fields === none) return wrap(JSON.stringify(call.input, null, 2), width, tools);
  return [
    ...(command === undefined ? [] : wrap(toText(command), width, tools, tools.theme.code)),
    ...(path === undefined ? [] : wrap(toText(path), width, tools, tools.theme.strong)),
    ...others.flatMap(([name, value]) => wrap(`${name}: ${toText(value)}`, width, tools)),
    ...(content === undefined ? [] : marked("+", toText(content), width, tools)),
    ...editsOf(edits, fields).flatMap(({ old, next }, index) => [
      ...(index === 0 ? [] : [tools.theme.dim("⋯")]),
      ...marked("-", old, width, tools),
      ...marked("+", next, width, tools),
    ]),
  ];
}

/** The commands of a script, as bash reads them: which of them need the approval. */
export function describeParts({ parts }: Asking, width: number, tools: Tools): readonly string[] {
  if (parts === undefined || parts.allowed.length + parts.refused.length < 2) return [];
  const { theme, typesetter } = tools;
  const line = (mark: string, source: string): string =>
    typesetter.cut(`${mark} ${safeText(source).replaceAll("\n", " ")}`, width);
  return [
    ...parts.refused.map((source) => theme.warning(line("asks   ", source))),
    ...parts.allowed.map((source) => theme.dim(line("allowed", source))),
  ];
}

const none: Readonly<Record<string, JsonValue>> = {};

function fieldsOf(input: JsonValue): Readonly<Record<string, JsonValue>> {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? // Anything that is not an array is an object here, but `isArray` does not narrow readonly arrays.
      (input as Readonly<Record<string, JsonValue>>)
    : none;
}

interface Edit {
  readonly old: string;
  readonly next: string;
}

function editsOf(
  edits: JsonValue | undefined,
  { old, new: next }: Readonly<Record<string, JsonValue>>,
): readonly Edit[] {
  if (Array.isArray(edits)) {
    return edits.map((edit: JsonValue) => {
      const { old: from, new: to } = fieldsOf(edit);
      return toEdit(from, to);
    });
  }
  if (edits !== undefined) return [toEdit("", edits)];
  return old === undefined && next === undefined ? [] : [toEdit(old, next)];
}

function toEdit(from: JsonValue = "", to: JsonValue = ""): Edit {
  return { old: toText(from), next: toText(to) };
}

function toText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function wrap(
  text: string,
  width: number,
  { typesetter }: Tools,
  paint: (line: string) => string = (line) => line,
): readonly string[] {
  return typesetter.wrap(safeText(text), width).map(paint);
}

function marked(
  mark: "+" | "-",
  text: string,
  width: number,
  { theme, typesetter }: Tools,
): readonly string[] {
  if (text === "") return [];
  const paint = mark === "+" ? theme.added : theme.removed;
  return safeText(text)
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => typesetter.wrap(line, Math.max(1, width - 2)))
    .map((line) => paint(`${mark} ${line}`));
}
