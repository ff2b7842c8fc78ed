/** JSON as people write it, with comments and trailing commas: its value, and where each part of it stands. */
import type { Node, ParseError } from "jsonc-parser";
import { createScanner, findNodeAtLocation, parseTree, printParseErrorCode } from "jsonc-parser";

export interface Problem {
  /** From the beginning of the text. */
  readonly offset: number;
  readonly message: string;
}

export interface JsonText {
  readonly value: unknown;
  /** Where the value at a path begins, or the nearest around it that is there; with `key`, where that key of it does. */
  offsetOf(path: readonly PropertyKey[], key?: string): number;
}

/** Deeper than any settings: the parser would run out of stack. */
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
          ? [{ offset: 0, message: "holds nothing: {} is the least" }]
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
  InvalidSymbol: "no word of JSON: texts need double quotes",
  InvalidNumberFormat: "no number of JSON",
  PropertyNameExpected: "a key in double quotes is expected",
  ValueExpected: "a value is expected",
  ColonExpected: "a : is expected",
  CommaExpected: "a , is expected",
  CloseBraceExpected: "a } is expected",
  CloseBracketExpected: "a ] is expected",
  EndOfFileExpected: "nothing more is expected",
  InvalidCommentToken: "no comment: use // or /* */",
  UnexpectedEndOfComment: "the comment is not closed",
  UnexpectedEndOfString: 'the text is not closed: a " is expected',
  UnexpectedEndOfNumber: "the number is not complete",
  InvalidUnicode: "four hexadecimal digits are expected behind \\u",
  InvalidEscapeCharacter: "no such character behind a \\",
  InvalidCharacter: "a control character, which must be escaped",
};

function explain(code: ParseError["error"]): string {
  return meanings[printParseErrorCode(code)] ?? "no JSON";
}

/** The parser takes the last one, a reader of the file may see the first one. */
function badKeys(node: Node): readonly Problem[] {
  const seen = new Set<unknown>();
  return (node.children ?? []).flatMap((child) => {
    const key = child.type === "property" ? child.children?.[0] : undefined;
    if (key === undefined) return badKeys(child);
    const isRepeated = seen.has(key.value);
    seen.add(key.value);
    const message = isRepeated ? "is there twice" : "cannot be used";
    // Libraries pass over the name of the prototype in silence.
    const isBad = isRepeated || key.value === "__proto__";
    const own = { offset: key.offset, message: `the key ${JSON.stringify(key.value)} ${message}` };
    return [...(isBad ? [own] : []), ...badKeys(child)];
  });
}

/** The parser's own would set the prototype of an object for the key `__proto__`. */
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
