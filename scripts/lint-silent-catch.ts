// The lint rule against failures that are swallowed without a reason.

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The part of a syntax node that the rule looks at. */
interface CatchNode {
  readonly type: string;
  readonly loc: { readonly start: Position; readonly end: Position };
  readonly parent?: CatchNode | null;
  readonly param?: unknown;
  readonly params?: readonly unknown[];
  readonly body?: CatchNode | readonly CatchNode[];
  readonly callee?: CatchNode;
  readonly property?: CatchNode;
  readonly arguments?: readonly CatchNode[];
  readonly elements?: readonly unknown[];
  readonly name?: string;
  readonly value?: unknown;
}

interface Comment {
  readonly loc: CatchNode["loc"];
}

interface RuleContext {
  readonly sourceCode: {
    readonly lines: readonly string[];
    getAllComments(): readonly Comment[];
  };
  report(problem: { readonly node: CatchNode; readonly message: string }): void;
}

type Visitor = Readonly<Record<string, (node: CatchNode) => void>>;

const message =
  "Say in a comment why this failure may pass in silence, or let it be heard: report it, or throw.";

export const silentCatchRule: { create(context: RuleContext): Visitor } = {
  create(context) {
    const { sourceCode } = context;
    const isExplained = (first: CatchNode, last: CatchNode): boolean =>
      sourceCode.getAllComments().some(({ loc }) => {
        const { line, column } = loc.start;
        if (loc.end.line >= first.loc.start.line) return line <= last.loc.end.line;
        // On the line above, and not at the end of other code.
        const isAlone = sourceCode.lines[line - 1]?.slice(0, column).trim() === "";
        return isAlone && loc.end.line === first.loc.start.line - 1;
      });
    return {
      CatchClause(node) {
        const statements = listOf(node.body);
        const isSilent = node.param === null || node.param === undefined || statements.length === 0;
        if (!isSilent || statements[0]?.type === "ThrowStatement") return;
        // The line above is the end of the `try`.
        const within = sourceCode
          .getAllComments()
          .some(({ loc }) => isWithin(loc.start, node.loc) && isWithin(loc.end, node.loc));
        if (!within) context.report({ node, message });
      },
      CallExpression(node) {
        if (node.callee?.property?.name !== "catch" || !swallows(node.arguments?.[0])) return;
        if (!isExplained(statementOf(node), node)) context.report({ node, message });
      },
    };
  },
};

/** Whether the handler takes no reason, and gives nothing in place of the result. A text such as "refused" is something: it tells of the failure. */
function swallows(handler: CatchNode | undefined): boolean {
  if (handler === undefined || handler.params === undefined || handler.params.length > 0) {
    return false;
  }
  const { body } = handler;
  if (body === undefined || !("type" in body)) return false;
  if (body.type === "BlockStatement") return listOf(body).length === 0;
  return (
    (body.type === "Literal" && !body.value) ||
    (body.type === "Identifier" && body.name === "undefined") ||
    (body.type === "ArrayExpression" && body.elements?.length === 0)
  );
}

function listOf(body: CatchNode["body"]): readonly CatchNode[] {
  const list = body !== undefined && "body" in body ? body.body : body;
  return Array.isArray(list) ? list : [];
}

/** The statement, or the member of a class or an object, that the node is part of. */
function statementOf(node: CatchNode): CatchNode {
  let statement = node;
  while (statement.parent && !/Statement$|Declaration$|^Property/.test(statement.type)) {
    statement = statement.parent;
  }
  return statement;
}

function isWithin(position: Position, { start, end }: CatchNode["loc"]): boolean {
  const isAfterStart =
    position.line > start.line || (position.line === start.line && position.column >= start.column);
  const isBeforeEnd =
    position.line < end.line || (position.line === end.line && position.column <= end.column);
  return isAfterStart && isBeforeEnd;
}
