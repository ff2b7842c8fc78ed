/** Paths that the words of a command may name. */

/** Returns the word itself, and what follows `=`, `:` or `@` in it: `--file=.env`, `HEAD:.env`, `-d@.env`, `-f.env`. */
export function pathsIn(word: string): readonly string[] {
  const rests = [...word.matchAll(/[=:@,]/g)]
    .slice(0, 10)
    .map(({ index }) => word.slice(index + 1));
  const attached = /^-[A-Za-z](.+)$/.exec(word)?.[1];
  return [word, ...rests, ...(attached === undefined ? [] : [attached])].filter(
    (path) => path !== "",
  );
}
