/** The lint rule for the English of comments and messages. */
import { RuleTester } from "oxlint/plugins-dev";
import { describe, test } from "vitest";
import { plainEnglishRule } from "../scripts/lint-plain-english.ts";

RuleTester.describe = describe;
RuleTester.it = test;

// The rule declares the few fields of nodes that it reads, and the tester those of every node.
new RuleTester().run("plain-english", plainEnglishRule as never, {
  valid: [
    "/** Epoch of the last lease this process held. */",
    "// The caller must dispose the plan when the turn ends.",
    "/**\n * Replaces the file in place.\n * What follows is a second line.\n */",
    "// Renames `places` and `somebody`.",
    "const key = 'behind';",
    'throw new Error(`Unknown model "${name}"`);',
  ].map((code) => ({ code, filename: "a.ts" })),
  invalid: [
    "/** Of the last lease that we had. */",
    "/** What a session does next. */",
    "// Whoever asks disposes it.",
    "// The cursor is behind the entry.",
    "/** Counts all.\n * Nobody waits for it.\n */",
    "// Its place in the list.",
    "throw new Error('Nobody knows a model of this name');",
    "throw new Error(`The agent ${name} cannot be had`);",
  ].map((code) => ({ code, errors: 1, filename: "a.ts" })),
});
