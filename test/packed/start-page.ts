/** Follows a page as a reader does: saves its programs, and runs its commands in order. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const start = promisify(execFile);

/** A program of the page that was run. */
export interface RunProgram {
  readonly file: string;
  /** Lines that its comments promise, after `// →`. */
  readonly promised: readonly string[];
  /** Lines that it printed. */
  readonly printed: readonly string[];
}

/** Follows the page in the folder, with this Node. Throws with the output of the first command that fails. */
export async function followPage(
  page: string,
  folder: string,
  node: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly RunProgram[]> {
  const programs: RunProgram[] = [];
  const text = readFileSync(page, "utf8");
  for (const match of text.matchAll(/^```(ts|sh)\n(.*?)^```$/gms)) {
    const [, language, code = ""] = match;
    if (language === "ts") {
      const before = text.slice(0, match.index).trimEnd();
      const file = /[Ss]ave (?:this|it) as\s`([\w-]+\.ts)`:$/.exec(before)?.[1];
      if (file === undefined) throw new Error(`The page does not say where to save: ${code}`);
      writeFileSync(join(folder, file), code);
      continue;
    }
    for (const command of code.trim().split("\n")) {
      const stdout = await run(command, folder, node, env);
      const file = /^node ([\w-]+\.ts)$/.exec(command)?.[1];
      if (file === undefined) continue;
      const source = readFileSync(join(folder, file), "utf8");
      const promised = Array.from(source.matchAll(/\/\/ → (.+)$/gm), ([, line = ""]) => line);
      programs.push({ file, promised, printed: stdout.trim().split("\n") });
    }
  }
  return programs;
}

/** Runs a command in a shell whose `node` is this one. Throws if it fails, with what it printed. */
export async function run(
  command: string,
  cwd: string,
  node: string,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const {
    NODE_OPTIONS: _,
    NODE_COMPILE_CACHE: _cache,
    ANTHROPIC_API_KEY: _key,
    ...env
  } = process.env;
  const settings = { npm_config_audit: "false", npm_config_fund: "false" };
  const PATH = `${dirname(node)}:${env["PATH"]}`;
  const options = { cwd, env: { ...env, ...more, ...settings, PATH }, timeout: 100_000 };
  try {
    return (await start("bash", ["-ec", command], options)).stdout;
  } catch (thrown) {
    const { stdout, stderr } = thrown as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command}\n${stdout}${stderr}`, { cause: thrown });
  }
}
