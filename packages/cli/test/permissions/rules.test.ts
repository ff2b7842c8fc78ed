import * as fc from "fast-check";
import { createToolset } from "@capstan/toolset";
import { expect, test } from "vitest";
import { ConfigError } from "../../src/errors/config-error.ts";
import { knownTools } from "../../src/permissions/known-tools.ts";
import { parseRule } from "../../src/permissions/rule.ts";
import { allTools, decideOn } from "./deciding.ts";

test.each([
  ["", "a rule is tool, tool(pattern) or *"],
  ["bash (npm test)", "a rule is tool, tool(pattern) or *"],
  ["bash(npm test", "a rule is tool, tool(pattern) or *"],
  ["**", "a rule is tool, tool(pattern) or *"],
  ["bsh", "there is no tool bsh: did you mean bash?"],
  ["constructor", "there is no tool constructor, only ls, read, glob, grep,"],
  ["bash()", "the pattern is empty: write bash alone for every call of it"],
  ["fetch(example.org)", "fetch takes no pattern: write fetch alone"],
  ["bash(a; b)", "a; b has ; without quotes, which means something to the shell"],
  ["bash(rm $x)", "has $ without quotes"],
  ["bash(ls ~)", "has ~ without quotes"],
  ["bash(time npm test)", "begins with time, which is a word of the shell"],
  ["bash(A=1 npm test)", "begins with an assignment"],
  ["bash(echo 'a)", "has a quote that is not closed"],
  ["bash(a\nb)", "has a line break or another control character"],
  ["bash( )", "names no command"],
  ["edit(../x)", "it has an empty part, . or .., which no path has"],
  ["edit(src/)", "end with /** for all that is in a folder"],
  ["edit(src//a)", "it has an empty part"],
  ["edit(~/x)", "~ is not expanded: write the whole path"],
  ["edit([b-a])", "its pattern is none that the tool glob takes"],
  [`edit(${"{a,b}".repeat(7)})`, "not with too many choices"],
  [`edit(${"a".repeat(2000)})`, "not too long"],
])("%j is no rule: %s", (text, reason) => {
  const parsing = (): unknown => parseRule(text);

  expect(parsing).toThrow(ConfigError);
  expect(parsing).toThrow(reason);
});

test("any text is a rule that says itself, or is refused with a reason", () => {
  const names = fc.constantFrom("bash", "edit", "read", "fetch", "*", "bsh");
  const patterns = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom(..."a b / * ** ? [ ] { } , . .. ~ ' \" \\ $ ! ( ) -".split(" "), " "))
      .map((all) => all.join("")),
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.tuple(names, patterns).map(([name, pattern]) => `${name}(${pattern})`),
  );

  fc.assert(
    fc.property(texts, fc.string(), (text, path) => {
      try {
        expect(parseRule(text).text).toBe(text);
        expect(["allow", "ask", "deny"]).toContain(
          decideOn("edit", { path }, { deny: [text] }).type,
        );
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(ConfigError);
      }
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) },
  );
});

test("the rules know every tool of the command, and let only those run freely that change nothing", () => {
  const added = ["read_output"];

  const names = [...allTools.map(({ name }) => name), ...added];
  const free = allTools.filter(({ name }) => knownTools[name]?.isFree === true);

  expect(Object.keys(knownTools).toSorted()).toEqual(names.toSorted());
  expect(free.map(({ effect }) => effect)).toEqual(free.map(() => "pure"));
  expect(createToolset().length).toBe(allTools.length - 1);
});
