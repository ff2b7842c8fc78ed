import type { ScriptItem } from "@capstan/testing";
import { callTool, say, think } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { key, openConversation } from "./headless.ts";

const letters = [
  ...["a", "b", " ", "/", "@", "\\", "?", "1", "6", "y", "n", "日", "é", "e\u0301", "👩‍👩‍👧", "\u202E"],
  ..."/help /theme light /thinking /resume /clear /context /rewind /model".split(" "),
];
const pressed = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...letters) },
  { weight: 4, arbitrary: fc.constantFrom(...Object.values(key)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        "\u001b[200~one\ntwo\u001b[201~",
        "x\ry\rz",
        "\u001b[",
        "\u001b[99;99R",
        "\u001b[<0;1;1M",
      ],
      ...["\u0012", "\u001b[13;2u", "\u001b[97;5u", "\u001bOP", "\u0000", "\u001b[?62;c"],
    ),
  },
);
const resized = fc.record({
  columns: fc.integer({ min: 1, max: 200 }),
  rows: fc.integer({ min: 1, max: 60 }),
});
const actions = fc.array(fc.oneof({ weight: 8, arbitrary: pressed }, resized), { maxLength: 60 });

const kind = fc.constantFrom<readonly string[]>([], ["--fullscreen"], ["--screen-reader"]);

const script = (): readonly ScriptItem[] =>
  Array.from({ length: 20 }, (_, index) => [
    think("Some *thinking*"),
    say(
      `Answer ${index}: ${"wide 日本 text ".repeat(30)}\n\n- a list\n\n\`\`\`ts\nlet x;\n\`\`\`\n`,
    ),
    ...(index % 3 === 0 ? [callTool("bash", { command: `touch f${index}` })] : []),
  ]);

test("no keys and no sizes break the conversation, and the terminal is restored", async () => {
  await fc.assert(
    fc.asyncProperty(actions, kind, async (all, option) => {
      const terminal = openConversation(script(), { argv: option });
      await terminal.shows("Try:");

      for (const action of all) {
        if (typeof action === "string") terminal.type(action);
        else terminal.resize(action.columns, action.rows);
        await new Promise((resolve) => setImmediate(resolve));
      }
      terminal.resize(80, 24);
      terminal.signal();

      expect([0, 130]).toContain(await terminal.exitCode);
      expect(terminal.isOpen()).toBe(false);
      // oxlint-disable-next-line no-control-regex -- These are looked for.
      expect(terminal.everything().join("\n")).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    }),
    { numRuns: 40 },
  );
}, 120_000);

test("a wide letter in a prompt of one column does not break the conversation", async () => {
  const terminal = openConversation([]);
  await terminal.shows("Try:");
  terminal.type("日本語");

  await terminal.shows("日本語");
  const before = terminal.written().length;
  terminal.resize(1, 10);
  await terminal.until(() => terminal.written().length > before);
  terminal.type("x");
  terminal.resize(80, 24);

  await terminal.shows("日本語x");
});
