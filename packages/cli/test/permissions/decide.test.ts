import * as fc from "fast-check";
import type { JsonValue } from "@capstan/kernel";
import { expect, test } from "vitest";
import { decide } from "../../src/permissions/permissions.ts";
import { decideOn, decideOnCommand } from "./deciding.ts";
import type { RuleTexts } from "./deciding.ts";

const inputs: Readonly<Record<string, JsonValue>> = {
  ls: {},
  read: { path: "a" },
  glob: { pattern: "*" },
  grep: { pattern: "x" },
  write_todos: { todos: [] },
  bash_output: { job: "1" },
  write: { path: "a", content: "" },
  edit: { path: "a", edits: [] },
  bash: { command: "true" },
  bash_kill: { job: "1" },
  fetch: { url: "https://example.org" },
};

test("without a rule what only looks at the folder runs, and all else asks", () => {
  const types = Object.entries(inputs).map(([name, input]) => [name, decideOn(name, input).type]);

  expect(Object.fromEntries(types)).toEqual({
    ls: "allow",
    read: "allow",
    glob: "allow",
    grep: "allow",
    write_todos: "allow",
    bash_output: "allow",
    write: "ask",
    edit: "ask",
    bash: "ask",
    bash_kill: "ask",
    fetch: "ask",
  });
});

test("an unknown tool asks, and so does one that took the name of another and declares more effects", () => {
  const permissions = { allow: [], ask: [], deny: [] };
  const named = { name: "read", description: "d", inputSchema: {}, effect: "idempotent" } as const;

  const unknown = decideOn("deploy", {});
  const replaced = decide(
    { toolName: "read", input: {} },
    { permissions, cwd: "/", tools: [named] },
  );

  expect(unknown).toEqual({
    type: "ask",
    why: "No rule allows this call",
    allowWith: ["deploy"],
  });
  expect(replaced.type).toBe("ask");
});

test("what denies goes before what asks, and that before what allows", () => {
  const call = { path: "src/a.ts" };

  expect(decideOn("edit", call, { allow: ["edit"] })).toEqual({ type: "allow" });
  expect(decideOn("edit", call, { allow: ["edit", "*"], ask: ["edit(src/**)"] })).toEqual({
    type: "ask",
    rule: "edit(src/**)",
    why: "The rule asks",
    allowWith: [],
  });
  expect(decideOn("edit", call, { allow: ["*"], ask: ["*"], deny: ["edit(*.ts)"] })).toEqual({
    type: "deny",
    rule: "edit(*.ts)",
  });
  expect(decideOn("read", call, { deny: ["*"] })).toEqual({ type: "deny", rule: "*" });
  expect(decideOn("read", call, { ask: ["read"] }).type).toBe("ask");
});

test("a rule that allows changes also allows new files, and one for commands also their jobs", () => {
  expect(decideOn("write", { path: "a" }, { allow: ["edit"] }).type).toBe("allow");
  expect(decideOn("write", { path: "src/a" }, { allow: ["edit(src/**)"] }).type).toBe("allow");
  expect(decideOn("write", { path: "a" }, { allow: ["edit(src/**)"] }).type).toBe("ask");
  expect(decideOn("edit", { path: "a" }, { allow: ["write"] }).type).toBe("ask");
  expect(decideOn("bash_kill", { job: "1" }, { allow: ["bash"] }).type).toBe("allow");
  expect(decideOn("bash_kill", { job: "1" }, { allow: ["bash(npm start)"] }).type).toBe("allow");
  expect(decideOn("bash", { command: "ls" }, { allow: ["bash_kill"] }).type).toBe("ask");
});

test("a denial holds for every tool that does the same", () => {
  const types = ["read", "grep", "ls"].map(
    (name) => decideOn(name, { path: ".env" }, { deny: ["read(.env)"] }).type,
  );

  expect(types).toEqual(["deny", "deny", "deny"]);
  expect(decideOn("write", { path: "a" }, { allow: ["*"], deny: ["edit(a)"] }).type).toBe("deny");
  expect(decideOn("edit", { path: "a" }, { allow: ["*"], deny: ["write(a)"] }).type).toBe("deny");
});

test.each([
  ["npm test", "npm test", "allow"],
  ["npm test", "npm  'test'", "allow"],
  ["npm test", "npm test --watch", "ask"],
  ["npm test", "npm", "ask"],
  ["npm test", "npm testing", "ask"],
  ["npm test", "./npm test", "ask"],
  ["npm test", "command npm test", "allow"],
  ["npm test", "command -p npm testing", "ask"],
  ["npm test", "npm test; rm x", "ask"],
  ["npm test", "npm test > x", "ask"],
  ["git diff *", "git diff", "allow"],
  ["git diff *", "git diff a b", "allow"],
  ["git diff *", "git difftool", "ask"],
  ["git diff *", "git diff $(rm x)", "ask"],
  ["git diff *", "git diff | sh", "ask"],
  ["npm run test:*", "npm run test:unit", "allow"],
  ["npm run test:*", "npm run test:", "allow"],
  ["npm run test:*", "npm run test:unit --x", "ask"],
  ["npm run test:*", "npm run build", "ask"],
  ["* --version", "node --version", "allow"],
  ["* --version", "node x --version", "ask"],
  ["npm * test", "npm test", "ask"],
  ["npm * test", "npm -s test", "allow"],
  ["npm *a*b", "npm xaxb", "allow"],
  ["npm *a*b", "npm ba", "ask"],
  ["npm ab*bc", "npm abc", "ask"],
  ["npm a*b*b", "npm ab", "ask"],
  ["echo '*'", "echo '*'", "allow"],
  ["echo '*'", "echo x", "ask"],
  ["echo \\*", "echo '*'", "allow"],
  ["*", "rm -rf x", "allow"],
  ["*", "rm -rf x; ls", "allow"],
  ["*", "rm -rf $(ls)", "allow"],
  ["*", "rm -rf `ls`", "ask"],
  ["rm *", "rm -rf $(ls)", "ask"],
])("with bash(%s) allowed, %j is %s", (pattern, command, type) => {
  expect(decideOnCommand(command, { allow: [`bash(${pattern})`] })).toBe(type);
});

test("bash alone allows every command", () => {
  expect(decideOnCommand("a | b > c; $(d)", { allow: ["bash"] })).toBe("allow");
});

test("a pattern of a command allows it inside of the working folder only: elsewhere its words may do something else", () => {
  const rules = { allow: ["bash(npm test)"] };

  const types = ["./", "src/..", "/work", "sub", "..", 1].map(
    (path) => decideOn("bash", { command: "npm test", path }, rules).type,
  );

  expect(types).toEqual(["allow", "allow", "allow", "allow", "ask", "ask"]);
});

test("a pattern that names a file allows it in the working folder itself only: in another one it is another file", () => {
  const rules = { allow: ["bash(node build.js)", "bash(./run *)"] };
  const run = (command: string, path: string): string =>
    decideOn("bash", { command, path }, rules).type;

  expect([run("node build.js", "."), run("./run x", ".")]).toEqual(["allow", "allow"]);
  expect([run("node build.js", "sub"), run("./run x", "sub")]).toEqual(["ask", "ask"]);
  expect(run("cd sub && node build.js", ".")).toBe("ask");
});

test("what a call is told to be allowed with allows this call", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("if", "time", "*", "a b", "it's", "-x", "a=b", "é"),
  );
  const commands = fc
    .array(word, { minLength: 1, maxLength: 4 })
    .map((words) => words.map((one) => `'${one.replaceAll("'", "'\\''")}'`).join(" "));
  const paths = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom("a*b", "[x]", "{a,b}", "/etc/x", "..", "a\\b", "sub/x y(1)"),
  );
  const calls = fc.oneof(
    commands.map((command) => ["bash", { command }] as const),
    fc.string({ minLength: 1 }).map((command) => ["bash", { command }] as const),
    paths.map((path) => ["edit", { path }] as const),
  );

  fc.assert(
    fc.property(calls, ([name, input]) => {
      const asked = decideOn(name, input);
      const allow = asked.type === "ask" ? asked.allowWith : [];
      fc.pre(allow.length > 0);

      expect(decideOn(name, input, { allow })).toEqual({ type: "allow" });
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) },
  );
});

test.each([
  ["bash", { command: "npm test" }, ["bash(npm test)"]],
  ["bash", { command: "git commit -m 'a b'" }, ["bash(git commit -m 'a b')"]],
  ["bash", { command: "'if' x" }, ["bash('if' x)"]],
  ["bash", { command: "npm test 2>&1 | tail -5" }, ["bash(npm test)", "bash(tail -5)"]],
  ["bash", { command: "ls src/*.ts" }, ["bash(ls *)"]],
  ["bash", { command: "cd sub && npm test" }, ["bash(npm test)"]],
  ["bash", { command: "npm test > out.txt" }, ["bash(npm test)", "write(./out.txt)"]],
  ["bash", { command: "find . -delete" }, ["bash(find . -delete)"]],
  ["bash", { command: "echo $(rm x)" }, ["bash(rm x)", "bash(echo *)"]],
  ["bash", { command: "echo `rm x`" }, []],
  ["bash", { command: "PATH=. npm test" }, []],
  ["edit", { path: "src/../a.ts" }, ["edit(./a.ts)"]],
  ["edit", { path: "src/[x].ts" }, ["edit(src/\\[x\\].ts)"]],
  ["write", { path: "/etc/hosts" }, ["write(/etc/hosts)"]],
  ["fetch", { url: "https://example.org" }, ["fetch"]],
])("%s %j can be allowed with %j", (name, input, allowWith) => {
  expect(decideOn(name, input)).toMatchObject({ type: "ask", allowWith });
});

test("whatever the input is, there is a decision", () => {
  const rules = {
    allow: ["bash(a *)", "edit(a/**)"],
    ask: ["bash(b)"],
    deny: ["bash(c *)", "edit(d)"],
  };
  const input = fc.oneof(
    fc.jsonValue(),
    fc.record({ command: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()) }),
    fc.record({ path: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()) }),
  );

  fc.assert(
    fc.property(
      fc.constantFrom("bash", "edit", "ls", "__proto__", "toString"),
      input,
      (name, value) => {
        // Any JSON value.
        const decision = decideOn(name, value as JsonValue, rules);

        expect(["allow", "ask", "deny"]).toContain(decision.type);
      },
    ),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) },
  );
});

function decided(isSandboxed: boolean, command: string, rules: RuleTexts) {
  return decideOn("bash", { command }, rules, "/work", isSandboxed).type;
}

test("bash@sandbox counts while commands run in a sandbox, and not otherwise", () => {
  const rules = { allow: ["bash@sandbox"], deny: ["bash(git push *)"] };

  expect(decided(true, "make $(cat target)", rules)).toBe("allow");
  expect(decided(true, "git push origin", rules)).toBe("deny");
  expect(decided(true, "echo x > .git/config", rules)).toBe("ask");
  expect(decided(false, "make", rules)).toBe("ask");
  expect(decided(false, "ls", { allow: ["bash"], deny: ["bash@sandbox"] })).toBe("allow");
  expect(decideOn("bash_kill", { job: "a" }, rules, "/work", true).type).toBe("allow");
  expect(decideOn("bash_kill", { job: "a" }, rules).type).toBe("ask");
});
