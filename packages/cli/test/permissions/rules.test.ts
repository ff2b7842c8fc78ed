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
  ["bsh", "unknown tool bsh: did you mean bash?"],
  ["constructor", "unknown tool constructor, use one of ls, read, glob, grep,"],
  ["bash()", "the pattern is empty: use bash alone to match all its calls"],
  ["fetch(example.org)", "fetch takes no pattern: use fetch alone"],
  ["bash(a; b)", "a; b has an unquoted ;, which has a meaning to the shell"],
  ["bash(rm $x)", "has an unquoted $"],
  ["bash(ls ~)", "has an unquoted ~"],
  ["bash(time npm test)", "begins with time, a reserved word of the shell"],
  ["bash(A=1 npm test)", "begins with an assignment"],
  ["bash(echo 'a)", "has a quote that is not closed"],
  ["bash(a\nb)", "has a line break or another control character"],
  ["bash( )", "names no command"],
  ["edit(../x)", "it has an empty part, . or .., which never matches"],
  ["edit(src/)", "end with /** for everything in a folder"],
  ["edit(src//a)", "it has an empty part"],
  ["edit(~/x)", "~ is not expanded: use an absolute path"],
  ["edit([b-a])", "its pattern is invalid"],
  [`edit(${"{a,b}".repeat(7)})`, "without too many alternatives"],
  [`edit(${"a".repeat(2000)})`, "not too long"],
])("%j is not a valid rule: %s", (text, reason) => {
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
  const added = ["read_output", "mcp_resources", "mcp_prompts", "mcp_search", "mcp_call"];

  const names = [...allTools.map(({ name }) => name), ...added];
  const free = allTools.filter(({ name }) => knownTools[name]?.isFree === true);

  expect(Object.keys(knownTools).toSorted()).toEqual(names.toSorted());
  expect(free.map(({ effect }) => effect)).toEqual(free.map(() => "pure"));
  expect(createToolset().length).toBe(allTools.length - 1);
});
