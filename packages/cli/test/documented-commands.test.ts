import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCommandLine } from "../src/command-line/parse-command-line.ts";

const root = join(import.meta.dirname, "../../..");
const pages = [
  "docs/start/in-a-terminal.md",
  "docs/configuration.md",
  "docs/permissions.md",
  "packages/cli/README.md",
  "README.md",
];

/** Arguments of each `capstan` in the shell blocks of a page. */
function commandsIn(page: string): readonly (readonly string[])[] {
  const text = readFileSync(join(root, page), "utf8");
  const lines = [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  return lines
    .flatMap((line) => line.replace(/ +# .*/, "").split(/; | && | \| /))
    .filter((command) => /^(npx )?capstan /.test(command))
    .map((command) => wordsOf(command.replace(/^(npx )?capstan /, "").replace(/ \d?[<>].*/, "")));
}

function wordsOf(command: string): readonly string[] {
  const words = command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
  return [...words].map(([, single, double, plain]) => single ?? double ?? plain ?? "");
}

test("the pages show many commands", () => {
  const count = pages.flatMap(commandsIn).length;

  expect(count).toBeGreaterThan(25);
});

test.each(pages.flatMap((page) => commandsIn(page).map((words) => [page, words.join(" "), words])))(
  "%s: capstan %s is a command that is understood",
  (_page, _shown, words) => {
    // The third of each row is the list of words.
    const request = parseCommandLine(words as readonly string[]);

    expect(request).not.toMatchObject({ type: "mistake" });
  },
);
