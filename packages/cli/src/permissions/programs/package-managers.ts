/** `npm`, `pnpm` and `yarn`: subcommands and options that start other programs than the project's scripts. */
import type { ScriptWord } from "../bash/script.ts";
import type { Examine } from "./examined.ts";
import { textAt } from "./examined.ts";
import type { Options } from "./options.ts";
import { marksOf } from "./options.ts";

const options: Options = {
  short: "c",
  long: (
    "call cwd dir editor git globalconfig init-module modules-dir node-gyp node-options prefix script-shell shell shell-mode " +
    "use-yarnrc userconfig viewer"
  ).split(" "),
  content: /^--?config\./,
  harmless: ["global"],
};
const subcommands = new Set(
  "c config create dlx edit env exec explore help-search init innit node plugin policies set set-script x".split(
    " ",
  ),
);
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
