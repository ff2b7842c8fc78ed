/** The conformance tests of the protocol, with an agent as the client: every scenario of a client but those of skills. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runConformance, scenariosOf } from "./conformance-runner.ts";
import { missing } from "./installed.ts";

const folder = import.meta.dirname;

interface ExpectedFailure {
  readonly checks: readonly string[];
  readonly reason: string;
}

// Each scenario is two processes.
vi.setConfig({ maxConcurrency: 2 });

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

/** Ids of the checks that failed, and the summary. */
function runScenario(
  runner: string,
  scenario: string,
  version: string,
): ReturnType<typeof runConformance> {
  const client = `${process.execPath} --conditions=@capstan/source ${join(folder, "conformance-client.ts")}`;
  return runConformance(runner, [
    ...["client", "--command", client, "--scenario", scenario, "--spec-version", version],
  ]);
}

describe.skipIf(missing !== undefined)(`conformance${missing ? ` (${missing})` : ""}`, () => {
  const scenarios = runners.flatMap(([runner, version]) =>
    scenariosOf(runner, "client", version)
      .filter((scenario) => !others.test(scenario))
      .map((scenario) => [version, scenario, runner] as const),
  );

  test("the scenarios of both generations are found", () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(60);
  });

  // Each scenario has a server of its own, on a port of its own.
  test.concurrent.each(scenarios)("%s: %s, by %s", async (version, scenario, runner) => {
    const { failed, output } = await runScenario(runner, scenario, version);

    expect(output).toMatch(/Passed: \d+\/\d+/);
    expect(failed, output).toEqual(expectedFailures[scenario]?.checks ?? []);
  });
});
