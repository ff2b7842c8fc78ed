import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Decision } from "../../src/permissions/permissions.ts";
import type { RuleTexts } from "./deciding.ts";
import { decideOnCommand } from "./deciding.ts";

interface Row {
  readonly verdict: string;
  readonly rules: string;
  readonly command: string;
  readonly why: string;
}

const folder = join(import.meta.dirname, "corpus");
// The file is part of this test.
const ruleSets = JSON.parse(readFileSync(join(folder, "rule-sets.json"), "utf8")) as Readonly<
  Record<string, RuleTexts>
>;

/** Columns: verdict, names of rule sets, command with ⏎ for a line break, reason. */
function rowsOf(name: string): readonly Row[] {
  return readFileSync(join(folder, name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [verdict = "", rules = "", command = "", why = ""] = line.split("\t");
      return { verdict, rules, command: command.replaceAll("⏎", "\n"), why };
    });
}

function rulesOf(names: string): RuleTexts {
  const sets = names.split("+").map((name) => ruleSets[name] ?? {});
  return {
    allow: sets.flatMap(({ allow = [] }) => allow),
    ask: sets.flatMap(({ ask = [] }) => ask),
    deny: sets.flatMap(({ deny = [] }) => deny),
  };
}

function decisionOn({ rules, command }: Row): Decision["type"] {
  return decideOnCommand(command, rulesOf(rules));
}

const rows = [...rowsOf("allow.tsv"), ...rowsOf("ask.tsv")];
const escapes = rowsOf("escapes.tsv");

test("the commands that models write are decided as their verdicts say", () => {
  const wrong = rows.filter((row) => decisionOn(row) !== row.verdict);

  expect(rows.length).toBeGreaterThan(500);
  expect(wrong.map((row) => ({ ...row, decided: decisionOn(row) }))).toEqual([]);
});

test("no command that is meant to get past the rules is allowed", () => {
  const through = escapes.filter((row) => decisionOn(row) === "allow");

  expect(escapes.length).toBeGreaterThan(150);
  expect(through).toEqual([]);
});

test("what is denied is denied, however it is written", () => {
  const denied = escapes.filter(({ verdict }) => verdict === "deny");

  expect(denied.filter((row) => decisionOn(row) !== "deny")).toEqual([]);
});

test.each([
  ["sed", `sed '${"p \n\n  ;\n".repeat(2000)}e' f`],
  ["spaces in sed", `sed '${"1    p;".repeat(2000)}e' f`],
  ["awk", `awk '${"print ".repeat(4000)}' f`],
  ["variables", `RUSTFLAGS='${"-Da".repeat(5000)}!' ls`],
  ["starters", `${"env ".repeat(7000)} ls`],
  ["words", `ls ${"a=b ".repeat(6000)}`],
  ["groups", `${"( ".repeat(3000)} ls`],
  ["texts", `sh -c '${"sh -c ".repeat(3000)}'`],
])("a long command is decided in time, however it is built: %s", (_, command) => {
  const rules = rulesOf("look+limits+native");

  expect(["ask", "deny", "allow"]).toContain(decideOnCommand(command, rules));
});

test.each(Object.keys(ruleSets))("the rule set %s is used", (name) => {
  expect([...rows, ...escapes].some(({ rules }) => rules.split("+").includes(name))).toBe(true);
});
