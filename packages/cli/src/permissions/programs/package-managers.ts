/** `npm`, `pnpm` and `yarn`: subcommands and options that start other programs than the project's scripts. */
import type { ScriptWord } from "../bash/script.ts";
import type { Examine } from "./examined.ts";
import { textAt } from "./examined.ts";
import type { Options } from "./options.ts";
import { marksOf } from "./options.ts";

const options: Options = {
  short: "c",
  long: [
    ...[
      "call",
      "script-shell",
      "shell",
      "node-options",
      "globalconfig",
      "userconfig",
      "use-yarnrc",
    ],
    ...[
      "node-gyp",
      "git",
      "editor",
      "viewer",
      "shell-mode",
      "prefix",
      "modules-dir",
      "init-module",
    ],
  ],
};
const subcommands = new Set([
  ...[
    "exec",
    "x",
    "explore",
    "init",
    "innit",
    "create",
    "config",
    "c",
    "set",
    "edit",
    "dlx",
    "node",
  ],
  ...["env", "plugin", "help-search", "set-script"],
]);
const folderOptions = new Set(["--prefix", "-C", "--dir", "--cwd"]);

export const examinePackageManager: Examine = (words) => {
  const own = ownWords(words);
  const at = own.findIndex(({ text }, index) => index > 0 && folderOptions.has(text));
  const folder = own[at + 1];
  if (at > 0 && folder !== undefined) {
    const rest = [...words.slice(0, at), ...words.slice(at + 2)];
    return { marks: [at, at + 1], starts: [{ words: rest, folder }], isTransparent: true };
  }
  const first = own.findIndex(({ text }, index) => index > 0 && !text.startsWith("-"));
  const marks = marksOf(own, options);
  return { marks: subcommands.has(textAt(own, first)) ? [first, ...marks] : marks };
};

/** Words after `--` are for the script. */
function ownWords(words: readonly ScriptWord[]): readonly ScriptWord[] {
  const end = words.findIndex(({ text }) => text === "--");
  return end === -1 ? words : words.slice(0, end);
}
