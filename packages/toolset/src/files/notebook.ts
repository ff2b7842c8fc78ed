/** Jupyter notebooks as models read them: cells and their outputs, without the JSON around them. */
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";

const maxOutputChars = 1_500;

const lines = z.union([z.string(), z.array(z.string())]);

const output = z.object({
  text: lines.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  traceback: lines.optional(),
});

/** The parts of the format (https://nbformat.readthedocs.io) that are shown. */
const notebook = z.object({
  cells: z.array(
    z.object({ cell_type: z.string(), source: lines, outputs: z.array(output).optional() }),
  ),
});

type Output = z.output<typeof output>;

/** Undefined if the text is not a notebook. */
export function textOfNotebook(text: string): string | undefined {
  const parsed = notebook.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  return parsed.data.cells
    .map(({ cell_type: kind, source, outputs = [] }, index) => {
      const name = `cell ${index + 1}`;
      const shown = outputs.map(textOfOutput).filter((one) => one !== "");
      return [
        `[${name}, ${kind}]\n${withLineEnd(joined(source))}`,
        ...(shown.length > 0 ? [`[output of ${name}]\n`, ...shown.map(withLineEnd)] : []),
      ].join("");
    })
    .join("");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a notebook: it is shown as text.
    return undefined;
  }
}

function textOfOutput({ text, data = {}, traceback }: Output): string {
  const plain = lines.safeParse(data["text/plain"]);
  const shown = [
    joined(text ?? ""),
    plain.success ? joined(plain.data) : "",
    Array.isArray(traceback) ? traceback.join("\n") : (traceback ?? ""),
  ];
  const images = Object.keys(data).filter((type) => type.startsWith("image/"));
  return [...shown.map(bounded), ...images.map((type) => `(${type} is not shown.)`)]
    .filter((one) => one !== "")
    .map(withLineEnd)
    .join("");
}

function bounded(text: string): string {
  const plain = stripVTControlCharacters(text);
  const left = plain.length - maxOutputChars;
  if (left <= 0) return plain;
  const more = `(${left.toLocaleString("en-US")} more characters of output are not shown.)`;
  return `${withLineEnd(plain.slice(0, maxOutputChars))}${more}`;
}

function joined(text: z.output<typeof lines>): string {
  return typeof text === "string" ? text : text.join("");
}

function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
