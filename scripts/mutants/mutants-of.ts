import { Visitor, parseSync } from "rolldown/utils";

/** One changed line of a file. */
export interface Mutant {
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

type Span = readonly [start: number, end: number];

const changes: readonly (readonly [RegExp, string])[] = [
  [/ === /g, " !== "],
  [/ !== /g, " === "],
  [/ < /g, " <= "],
  [/ <= /g, " < "],
  [/ > /g, " >= "],
  [/ >= /g, " > "],
  [/ && /g, " || "],
  [/ \|\| /g, " && "],
  [/ \+ 1\b/g, " + 2"],
  [/ - 1\b/g, " - 2"],
  [/ \?\? /g, " || "],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/(?<=^\s+)(await )?this\.[#\w.]+\(.*\);$/g, ";"],
  [/(?<=^\s+)this\.[#\w]+ (\+?=) .*;$/g, ";"],
];

/** Lists every change of every line that runs. Types, comments, strings and the texts of templates do not. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const silent = silentSpans(file, source);
  const mutants: Mutant[] = [];
  let start = 0;
  for (const [index, before] of source.split("\n").entries()) {
    for (const [form, text] of changes) {
      for (const match of before.matchAll(form)) {
        if (isInside(silent, start + match.index)) continue;
        const rest = before.slice(match.index + match[0].length);
        mutants.push({
          line: index + 1,
          before,
          after: before.slice(0, match.index) + text + rest,
        });
      }
    }
    start += before.length + 1;
  }
  return mutants;
}

function silentSpans(file: string, source: string): Span[] {
  const { program, comments } = parseSync(file, source);
  const spans = comments.map(({ start, end }): Span => [start, end]);
  const skip = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    spans.push([start, end]);
  };
  const visitor = new Visitor({
    Literal: (node) => {
      if (typeof node.value === "string" || "regex" in node) skip(node);
    },
    TemplateElement: skip,
    ImportDeclaration: skip,
    TSInterfaceDeclaration: skip,
    TSTypeAliasDeclaration: skip,
    TSTypeAnnotation: skip,
    TSTypeParameterInstantiation: skip,
    TSTypeParameterDeclaration: skip,
    TSAsExpression: ({ typeAnnotation }) => skip(typeAnnotation),
    TSSatisfiesExpression: ({ typeAnnotation }) => skip(typeAnnotation),
  });
  visitor.visit(program);
  return spans;
}

function isInside(spans: readonly Span[], position: number): boolean {
  return spans.some(([start, end]) => start <= position && position < end);
}
