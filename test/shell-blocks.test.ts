/** Commands of the pages: each is known, and true as far as can be told without running it. */
import { expect, test } from "vitest";
import { problemsOf } from "./documented/check-command.ts";
import type { Block, DocumentedCommand } from "./documented/shell-blocks.ts";
import {
  allBlocks,
  allCommands,
  blocksIn,
  commandsIn,
  inlineCommands,
  isShell,
} from "./documented/shell-blocks.ts";

/** Languages that are not of a shell, and what holds their blocks to the truth. */
const otherLanguages: Readonly<Record<string, string>> = {
  ts: "readme.test.ts: a file in examples, which a test runs",
  js: "coming-from.process.test.ts: the programs of bench/peers/apps",
  json: "json-blocks.test.ts: settings, messages and what else they are",
  mermaid: "a picture",
  dockerfile: "needs a Docker daemon, which CI has not",
};

/** Blocks without a language that are not commands, by how they begin. */
const shown: Readonly<Record<string, string>> = {
  "packages/\n  kernel/": "the tree of AGENTS.md",
  "kernel     -> nothing": "arrows.test.ts compares it",
  "/home/me/.config/capstan/config.json:4:3:": "documented-messages.test.ts prints it",
  "refused: bash npm test 2>&1": "documented-messages.test.ts prints it",
  "tail -5 is not allowed by a rule.": "documented-messages.test.ts prints it",
  "capstan: refused: bash npm test": "documented-messages.test.ts prints it",
  '{"bench":"B1"': "figures of a bench, whose numbers are left out",
};

function isKnown(block: Block): boolean {
  if (isShell(block)) return true;
  if (block.language) return block.language in otherLanguages;
  return Object.keys(shown).some((start) => block.text.startsWith(start));
}

const at = ({ page, line }: Block): string => `${page}:${line}`;

const told = (commands: readonly DocumentedCommand[]): readonly string[] =>
  commands.flatMap((command) =>
    problemsOf(command).map((problem) => `${at(command.block)}: ${command.text}: ${problem}`),
  );

const planted = (text: string, page = "docs/planted.md"): readonly string[] =>
  told(blocksIn(page, text).filter(isShell).flatMap(commandsIn));

test("every block of the pages is of a kind that a test holds to the truth", () => {
  const unknown = allBlocks().filter((block) => !isKnown(block));

  expect(unknown.map((block) => `${at(block)}: ${block.language ?? "indented"}`)).toEqual([]);
});

test("every command of a shell block exists, with its script, file, options and variables", () => {
  const commands = allCommands();

  expect(told(commands)).toEqual([]);
  expect(commands.length).toBeGreaterThan(100);
});

test("every command within a sentence exists, too", () => {
  const commands = inlineCommands();

  expect(told(commands)).toEqual([]);
  expect(commands.length).toBeGreaterThan(40);
});

test.each([
  ["a missing script", "npm run bensh", "no script bensh in package.json"],
  ["an option that a script does not have", "npm run bench -- --quik", "no option --quik"],
  ["an option that npm takes", "npm run bench --quick", "write -- before it"],
  ["a missing file", "npx node examples/nope.ts", "no file examples/nope.ts"],
  ["a package that is not ours", "npm install @capstan/nope", "no package @capstan/nope"],
  ["a template that is not there", "npm create capstan a -- --template nope", "no template nope"],
  ["a variable that nothing reads", "NOPE_KEY=1 npm test", "nothing reads NOPE_KEY"],
  ["an unknown program", "wrangler deploy", "unknown program wrangler"],
  ["a folder without a lockfile", "npm ci --prefix docs", "no lockfile in docs"],
])("%s is found", (_, command, problem) => {
  const [found] = planted(`\`\`\`sh\n${command}\n\`\`\`\n`);

  expect(found).toContain(problem);
});

test("a block of an unknown kind is found", () => {
  const blocks = blocksIn("docs/planted.md", "```fish\nls\n```\n\n```\nls -l\n```\n\n    ls -l\n");

  expect(blocks.map(isKnown)).toEqual([false, false, false]);
});

test("commands are found after variables, pipes, comments and within others", () => {
  const [block] = blocksIn(
    "docs/planted.md",
    '```sh\nA=1 git diff | capstan "a # b" # c\nsource <(capstan completion bash); export T=$(openssl rand)\n```\n',
  );

  const commands = block === undefined ? [] : commandsIn(block);

  expect(commands.map(({ words }) => words)).toEqual([
    ["git", "diff"],
    ["capstan", "a # b"],
    ["capstan", "completion", "bash"],
    ["source", "<(capstan completion bash)"],
    ["openssl", "rand"],
    ["export", "T=$(openssl rand)"],
  ]);
});
