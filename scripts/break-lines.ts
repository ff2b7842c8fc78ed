// Breaks minified code into lines. Node prints the whole line of an error that nothing catches, which must not be
// the whole file.

export interface MappedCode {
  readonly code: string;
  /** Mappings of the source map of the code. */
  readonly mappings: string;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Adds a line break after each semicolon at which a mapped token starts. Such a place is between two statements or in
 * the head of a loop, never inside of a text, so that the break changes nothing.
 */
export function breakLines({ code, mappings }: MappedCode): MappedCode {
  const lines = code.split("\n");
  const broken = mappings.split(";").map((line, index) => breakLine(lines[index] ?? "", line));
  return {
    code: [...broken.map((line) => line.code), ...lines.slice(broken.length)].join("\n"),
    mappings: broken.map((line) => line.mappings).join(";"),
  };
}

function breakLine(line: string, mappings: string): MappedCode {
  const parts: string[] = [];
  let mapped = "";
  let column = 0;
  let start = 0;
  for (const segment of mappings === "" ? [] : mappings.split(",")) {
    const { value, rest } = firstNumber(segment);
    column += value;
    const isBreak = column > start && line[column - 1] === ";";
    if (isBreak) {
      parts.push(line.slice(start, column));
      start = column;
    }
    // Columns are relative to the segment before, and the first of a line is at column 0.
    if (isBreak) mapped += `;A${rest}`;
    else mapped += mapped === "" ? segment : `,${segment}`;
  }
  return { code: [...parts, line.slice(start)].join("\n"), mappings: mapped };
}

/** First base64 VLQ number of the segment, and the segment after it. */
function firstNumber(segment: string): { readonly value: number; readonly rest: string } {
  let bits = 0;
  let length = 0;
  for (let isLast = false; !isLast; length += 1) {
    const digit = digits.indexOf(segment.charAt(length));
    bits |= (digit & 31) << (5 * length);
    isLast = (digit & 32) === 0;
  }
  return { value: (bits & 1) === 1 ? -(bits >> 1) : bits >> 1, rest: segment.slice(length) };
}
