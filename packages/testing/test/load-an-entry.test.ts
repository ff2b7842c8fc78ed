/** Each entry of the package loads its own product only, so that a test with a scripted provider does not pay for the crash simulator. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** The folders of this package's source, and the other packages, that a program has loaded after importing `specifier`. */
function loadedBy(specifier: string): string[] {
  const program = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify(urls));`;
  const args = ["--conditions=@capstan/source", "--input-type=module", "--eval", program];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  // The program above prints a list of URLs.
  const urls = JSON.parse(stdout) as string[];
  const names = urls.map(
    (url) =>
      /\/testing\/src\/([\w-]+)(?:\/|\.ts)/.exec(url)?.[1] ??
      /\/packages\/(\w+\/src)\//.exec(url)?.[1] ??
      url,
  );
  return [...new Set(names)].filter((name) => !name.startsWith("node:")).toSorted();
}

test.each([
  ["@capstan/testing", ["checkers", "index", "kernel/src", "script", "tools", "turns"]],
  ["@capstan/testing/stores", ["kernel/src", "log/src", "stores"]],
  ["@capstan/testing/emulators", ["emulators", "kernel/src", "script"]],
  ["@capstan/testing/crash", ["checkers", "core/src", "crash", "kernel/src", "log/src"]],
])("%s loads %s and nothing else", (specifier, folders) => {
  expect(loadedBy(specifier)).toEqual(folders);
});
