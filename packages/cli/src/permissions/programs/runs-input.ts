/** Programs that take commands from their input, unless their words name what to do. */
import type { ScriptWord } from "../bash/script.ts";
import { nameOf, textAt } from "./examined.ts";

/** A word that matches makes the program leave its input alone. */
const programs: Readonly<Record<string, RegExp>> = {
  ftp: /^$/,
  mysql: /^-e|^--execute/,
  psql: /^-[a-zA-Z]*[clf]|^--(?:command|file|list)/,
  sftp: /^$/,
  ssh: /^$/,
  telnet: /^$/,
};

export function runsInput(words: readonly ScriptWord[]): boolean {
  const name = nameOf(textAt(words, 0));
  const others = words.slice(1).map(({ text }) => text);
  if (name === "sqlite3") return others.filter((text) => !text.startsWith("-")).length < 2;
  if (!Object.hasOwn(programs, name)) return false;
  return !others.some((text) => programs[name]?.test(text) === true);
}
