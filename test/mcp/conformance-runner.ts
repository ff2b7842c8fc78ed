/** The conformance tests of the protocol, as processes. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { pathOf } from "./installed.ts";

const run = promisify(execFile);

/** Scenarios of a runner for a version, or for `extension`. */
export function scenariosOf(
  runner: string,
  kind: "client" | "server",
  version: string,
): readonly string[] {
  const script = pathOf(`${runner}/dist/index.js`);
  if (!existsSync(script)) return [];
  const list = execFileSync(process.execPath, [script, "list", `--${kind}`], { encoding: "utf8" });
  return [...list.matchAll(/- (\S+) \[(.*)\]/g)]
    .filter(([, , versions]) => versions?.split(",").includes(version))
    .map(([, scenario]) => scenario ?? "");
}

/** Ids of the checks that failed, and the summary. */
export async function runConformance(
  runner: string,
  args: readonly string[],
): Promise<{ readonly failed: readonly string[]; readonly output: string }> {
  const { stdout, stderr } = await run(
    process.execPath,
    [pathOf(`${runner}/dist/index.js`), ...args],
    {
      env: { ...process.env, NO_COLOR: "1" },
    },
  ).catch((failure: { readonly stdout: string; readonly stderr: string }) => failure);
  // oxlint-disable-next-line no-control-regex -- Colours begin with an escape.
  const output = `${stdout}${stderr}`.replaceAll(/\u001b\[\d+m/g, "");
  const failed = [...output.matchAll(/\[(\S+)\s*\] FAILURE/g)].map(([, id]) => id ?? "");
  return { failed: [...new Set(failed)], output };
}
