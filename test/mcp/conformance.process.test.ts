/** The conformance tests of the protocol, with an agent as the client: every scenario of a client but those of skills. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { missing, pathOf } from "./installed.ts";

const run = promisify(execFile);
const folder = import.meta.dirname;

interface ExpectedFailure {
  readonly checks: readonly string[];
  readonly reason: string;
}

// A file of this repository.
const expectedFailures = JSON.parse(
  readFileSync(join(folder, "expected-failures.json"), "utf8"),
) as Readonly<Record<string, ExpectedFailure>>;

/** The released runner knows the versions up to 2025-11-25, the next one also 2026-07-28. */
const runners = [
  ["@modelcontextprotocol/conformance", "2025-11-25"],
  ["conformance-next", "2025-11-25"],
  ["conformance-next", "2026-07-28"],
] as const;

/** Not part of this package. */
const others = /^sep-2640-/;

function scenariosOf(runner: string, version: string): readonly string[] {
  const script = pathOf(`${runner}/dist/index.js`);
  if (!existsSync(script)) return [];
  const list = execFileSync(process.execPath, [script, "list", "--client"], { encoding: "utf8" });
  return [...list.matchAll(/- (\S+) \[(.*)\]/g)]
    .filter(([, , versions]) => versions?.split(",").includes(version))
    .map(([, scenario]) => scenario ?? "")
    .filter((scenario) => !others.test(scenario));
}

/** Ids of the checks that failed, and the summary. */
async function runScenario(
  runner: string,
  scenario: string,
  version: string,
): Promise<{ failed: readonly string[]; output: string }> {
  const client = `${process.execPath} --conditions=@capstan/source ${join(folder, "conformance-client.ts")}`;
  const args = ["client", "--command", client, "--scenario", scenario, "--spec-version", version];
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

describe.skipIf(missing !== undefined)(`conformance${missing ? ` (${missing})` : ""}`, () => {
  const scenarios = runners.flatMap(([runner, version]) =>
    scenariosOf(runner, version).map((scenario) => [version, scenario, runner] as const),
  );

  test("the scenarios of both generations are found", () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(60);
  });

  test.each(scenarios)("%s: %s, by %s", async (version, scenario, runner) => {
    const { failed, output } = await runScenario(runner, scenario, version);

    expect(output).toMatch(/Passed: \d+\/\d+/);
    expect(failed, output).toEqual(expectedFailures[scenario]?.checks ?? []);
  });
});
