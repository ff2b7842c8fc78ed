/** The command does what the docs say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseSettings } from "../../src/config/parse-settings.ts";
import { parseRule } from "../../src/permissions/rule.ts";
import { knownTools } from "../../src/permissions/known-tools.ts";
import { decideOn } from "../permissions/deciding.ts";

const docs = join(import.meta.dirname, "..", "..", "..", "..", "docs");
const pages = {
  configuration: readFileSync(join(docs, "configuration.md"), "utf8"),
  permissions: readFileSync(join(docs, "permissions.md"), "utf8"),
};

/** The rows of tables whose first cell is code; cells without their backticks. */
function rowsOf(page: string): readonly (readonly string[])[] {
  return Array.from(page.matchAll(/^\| (`.+) \|$/gm), ([, row = ""]) =>
    row.split(" | ").map((cell) => cell.replace(/^`(.*)`$/, "$1")),
  );
}

test.each(
  Object.values(pages).flatMap((page) =>
    Array.from(page.matchAll(/^```json\n(.*?)^```$/gms), ([, block = ""]) => [block] as const),
  ),
)("a file in the documentation can be read: %j", (block) => {
  const { settings } = parseSettings("page", block);

  expect(Object.keys(settings).length).toBeGreaterThan(0);
});

test("docs/configuration.md has a row for every key and field", () => {
  const placesOfSections = [
    "",
    "retry",
    "deadlines",
    "planning",
    "permissions",
    "mcp",
    "tools",
    "tools.bash",
  ];
  const unknownKeys = placesOfSections.map((place) =>
    withUnknownKey(place.split(".").filter(Boolean)),
  );

  const told = unknownKeys.map(
    (text) => messageOf(text).split("use one of ")[1]?.split(", ") ?? [],
  );

  const known = told.flatMap((keys, index) =>
    keys.map((key) => [placesOfSections[index], key].filter(Boolean).join(".")),
  );
  const sections = placesOfSections.filter((place) => place !== "");
  const rows = rowsOf(pages.configuration).map(([key = ""]) => key);
  expect(rows).toEqual(expect.arrayContaining(known.filter((key) => !sections.includes(key))));
  expect(rows).toEqual(
    expect.arrayContaining(fieldsOfVendor().filter((field) => field !== "$schema")),
  );
});

function withUnknownKey(place: readonly string[]): string {
  return JSON.stringify(place.reduceRight<object>((inner, key) => ({ [key]: inner }), { "%": 1 }));
}

function fieldsOfVendor(): readonly string[] {
  const text = JSON.stringify({ providers: { x: { "%": 1 } } });
  return messageOf(text).split("use one of ")[1]?.split(", ") ?? [];
}

function messageOf(text: string): string {
  try {
    parseSettings("f", text);
    return "";
  } catch (thrown) {
    return String(thrown);
  }
}

const decisions = rowsOf(pages.permissions).filter(([, , decision = ""]) =>
  /^(allow|ask|deny)$/.test(decision),
);

test.each(
  decisions.map(([rule = "", call = "", decision = ""]) => [rule, call, decision] as const),
)("docs/permissions.md says of %s and %s: %s", (rule, call, decision) => {
  const isDenying =
    pages.permissions.indexOf(`| \`${rule}\``) > pages.permissions.indexOf("that denies, with");
  const rules = isDenying ? { allow: ["bash"], deny: [rule] } : { allow: [rule] };
  const { toolName = "" } = parseRule(rule);

  const input = toolName === "bash" ? { command: call } : { path: call };

  expect(decideOn(toolName, input, rules).type).toBe(decision);
});

test("docs/permissions.md has an example of every decision, and names every tool", () => {
  const names = Object.keys(knownTools).filter(
    (name) => !pages.permissions.includes(`\`${name}\``),
  );

  expect(decisions.length).toBeGreaterThan(25);
  expect(new Set(decisions.map(([, , decision]) => decision))).toEqual(
    new Set(["allow", "ask", "deny"]),
  );
  expect(names).toEqual([]);
});
