/** Ranks tools by a query: words in the name count first, then words in the description. */
import type { McpTool } from "./mcp-tool.ts";

interface Ranked {
  readonly tool: McpTool;
  readonly isExact: boolean;
  readonly inName: number;
  readonly inDescription: number;
}

/** The best ones first; those of equal rank in the order of the list. A tool without any of the words is not among them. */
export function rankTools(tools: readonly McpTool[], query: string): readonly McpTool[] {
  const words = wordsOf(query);
  const wanted = query.trim().toLowerCase();
  return tools
    .map((tool) => toRanked(tool, words, wanted))
    .filter(({ isExact, inName, inDescription }) => isExact || inName + inDescription > 0)
    .sort(byRank)
    .map(({ tool }) => tool);
}

function toRanked(tool: McpTool, words: readonly string[], wanted: string): Ranked {
  const { name, label = "", description, mcp } = tool;
  const named = `${name} ${wordsOf(`${mcp.server} ${mcp.tool}`).join(" ")}`.toLowerCase();
  const described = `${label} ${description}`.toLowerCase();
  return {
    tool,
    isExact: name.toLowerCase() === wanted || mcp.tool.toLowerCase() === wanted,
    inName: words.filter((word) => named.includes(word)).length,
    inDescription: words.filter((word) => described.includes(word)).length,
  };
}

function byRank(left: Ranked, right: Ranked): number {
  if (left.isExact !== right.isExact) return left.isExact ? -1 : 1;
  return right.inName - left.inName || right.inDescription - left.inDescription;
}

/** `createIssue` and `create_issue` are the words create and issue. */
function wordsOf(text: string): readonly string[] {
  const spaced = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return [...new Set(spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ""))];
}
