/** JSON as people write it, with comments and trailing commas: its value, and the offset of each part. */
import type { Node, ParseError } from "jsonc-parser";
import { createScanner, findNodeAtLocation, parseTree, printParseErrorCode } from "jsonc-parser";

export interface Problem {
  /** From the start of the text. */
  readonly offset: number;
  readonly message: string;
}

export interface JsonText {
  readonly value: unknown;
  /** Returns the offset of the value at a path, or of its nearest existing parent; with `key`, the offset of that key. */
  offsetOf(path: readonly PropertyKey[], key?: string): number;
}

/** Deeper than any settings: deeper nesting would overflow the parser's stack. */
const maxDepth = 50;

export function parseJsonText(text: string): JsonText | { readonly problems: readonly Problem[] } {
  const deep = tooDeepAt(text);
  if (deep !== undefined) return { problems: [{ offset: deep, message: "is nested too deeply" }] };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root === undefined) {
    return {
      problems:
        errors.length === 0
          ? [{ offset: 0, message: "is empty: write at least {}" }]
          : errors.map(({ error, offset }) => ({ offset, message: explain(error) })),
    };
  }
  const bad = badKeys(root);
  if (bad.length > 0) return { problems: bad };
  return { value: toValue(root), offsetOf: (path, key) => offsetOf(root, path, key) };
}

export function toLineAndColumn(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function tooDeepAt(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const token = text[scanner.getTokenOffset()];
    if (token === undefined) return undefined;
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth > maxDepth) return scanner.getTokenOffset();
  }
}

const meanings: Readonly<Record<string, string>> = {
  InvalidSymbol: "invalid symbol: strings need double quotes",
  InvalidNumberFormat: "invalid number",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected :",
  CommaExpected: "expected ,",
  CloseBraceExpected: "expected }",
  CloseBracketExpected: "expected ]",
  EndOfFileExpected: "expected the end of the file",
  InvalidCommentToken: "invalid comment: use // or /* */",
  UnexpectedEndOfComment: "the comment is not closed",
  UnexpectedEndOfString: 'the string is not closed: expected "',
  UnexpectedEndOfNumber: "the number is incomplete",
  InvalidUnicode: "expected four hexadecimal digits after \\u",
  InvalidEscapeCharacter: "invalid escape sequence after \\",
  InvalidCharacter: "control characters must be escaped",
};

function explain(code: ParseError["error"]): string {
  return meanings[printParseErrorCode(code)] ?? "invalid JSON";
}

/** The parser takes the last of two equal keys, a reader of the file may see the first. */
function badKeys(node: Node): readonly Problem[] {
  const seen = new Set<unknown>();
  return (node.children ?? []).flatMap((child) => {
    const key = child.type === "property" ? child.children?.[0] : undefined;
    if (key === undefined) return badKeys(child);
    const isRepeated = seen.has(key.value);
    seen.add(key.value);
    const message = isRepeated ? "is repeated" : "is not allowed";
    // Libraries silently skip the name of the prototype.
    const isBad = isRepeated || key.value === "__proto__";
    const own = { offset: key.offset, message: `the key ${JSON.stringify(key.value)} ${message}` };
    return [...(isBad ? [own] : []), ...badKeys(child)];
  });
}

/** The parser's own conversion would set an object's prototype for the key `__proto__`. */
function toValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(toValue);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[String(key.value), toValue(value)]],
    ),
  );
}

function offsetOf(root: Node, path: readonly PropertyKey[], key: string | undefined): number {
  const segments = path.map((part) => (typeof part === "number" ? part : String(part)));
  const node = findNodeAtLocation(root, segments);
  if (node === undefined)
    return path.length === 0 ? root.offset : offsetOf(root, path.slice(0, -1), undefined);
  const named = node.children?.find(({ children }) => children?.[0]?.value === key);
  return key === undefined ? node.offset : (named?.offset ?? node.offset);
}
