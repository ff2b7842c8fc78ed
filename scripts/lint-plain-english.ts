// The lint rule for the English of comments and messages. docs/glossary.md has the rules; this finds the forms that are easily found.

interface Node {
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked?: string | null } }[];
}

interface Comment {
  readonly type: string;
  readonly value: string;
}

interface RuleContext {
  readonly sourceCode: { getAllComments(): readonly Comment[] };
  report(problem: { readonly node: Node | Comment; readonly message: string }): void;
}

type Visitor = Readonly<Record<string, (node: Node) => void>>;
type Form = readonly [form: RegExp, remedy: string];

/** In comments and in texts that people or models read. */
const forms: readonly Form[] = [
  [
    /\b(nobody|somebody|anybody|everybody|whoever)\b/i,
    "Name the caller, the client, the user or the process.",
  ],
  [/(?<!look-)\bbehind\b/i, "Write *after*."],
  [
    /\b(?<!\b(in|took|takes?|taking|first) )places?\b(?! holder)/i,
    "Write *index*, *cursor*, *position* or *path*.",
  ],
  [/\bcan(not)? be had\b/i, "Write *is (not) available*."],
  [/\bmeanwhile\b/i, "Write *in the meantime*, or say when."],
];

/** At the beginning of a comment. */
const openings: readonly Form[] = [
  [
    /^(What|Of|Who|Those|Where|The same)\b(?! .*\?$)/,
    "Begin with a noun or a verb that names the subject.",
  ],
];

/** Why a comment is not plain English; undefined if no form was found. */
export function problemOfComment(text: string): string | undefined {
  const plain = text.replaceAll(/^\s*\*+ ?/gm, "").trim();
  // Code in backticks is quoted, not said.
  return problemOf(plain.replaceAll(/`[^`]*`/g, "`code`"), [...openings, ...forms]);
}

const sql = /\b(SELECT|INSERT|UPDATE|CREATE|ORDINALITY)\b/;

/** Likewise for a text; identifiers and keys, which have no space, are none. */
export function problemOfText(text: string): string | undefined {
  return text.includes(" ") && !sql.test(text) ? problemOf(text, forms) : undefined;
}

function problemOf(text: string, looked: readonly Form[]): string | undefined {
  for (const [form, remedy] of looked) {
    const [found] = form.exec(text) ?? [];
    if (found !== undefined) return `"${found}": ${remedy}`;
  }
  return undefined;
}

export const plainEnglishRule: { create(context: RuleContext): Visitor } = {
  create(context) {
    const check = (node: Node, text: unknown): void => {
      const message = typeof text === "string" ? problemOfText(text) : undefined;
      if (message !== undefined) context.report({ node, message });
    };
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const message = problemOfComment(comment.value);
          if (message !== undefined) context.report({ node: comment, message });
        }
      },
      Literal: (node) => check(node, node.value),
      TemplateLiteral: (node) => {
        for (const { value } of node.quasis ?? []) check(node, value.cooked);
      },
    };
  },
};
