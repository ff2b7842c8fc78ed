/** The conformance tests of the protocol, with agents as the tools of the server: every scenario of what is offered. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runConformance, scenariosOf } from "./conformance-runner.ts";
import { missing } from "./installed.ts";

interface Expected {
  /** Scenarios of what is not offered. They are not run. */
  readonly notOffered: readonly { readonly scenarios: string; readonly reason: string }[];
  readonly failures: Readonly<
    Record<string, { readonly checks: readonly string[]; readonly reason: string }>
  >;
}

const folder = import.meta.dirname;
// A file of this repository.
const { notOffered, failures } = JSON.parse(
  readFileSync(join(folder, "expected-server-failures.json"), "utf8"),
) as Expected;

const versions = ["2025-11-25", "2026-07-28", "extension"] as const;

function isOffered(scenario: string): boolean {
  return !notOffered.some(({ scenarios }) => new RegExp(`^(?:${scenarios})$`).test(scenario));
}

describe.skipIf(missing !== undefined)(`server${missing ? ` (${missing})` : ""}`, () => {
  const scenarios = versions.flatMap((version) =>
    scenariosOf("conformance-next", "server", version)
      .filter(isOffered)
      .map((scenario) => [version, scenario] as const),
  );
  const path = join(folder, "conformance-server.ts");
  let child: ReturnType<typeof start> | undefined;
  let url = "";

  function start() {
    return spawn(process.execPath, ["--conditions=@capstan/source", path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  beforeAll(async () => {
    child = start();
    for await (const line of createInterface(child.stdout)) {
      const { listening } = JSON.parse(line) as { readonly listening: { readonly port: number } };
      url = `http://127.0.0.1:${listening.port}/mcp`;
      break;
    }
  });
  afterAll(() => {
    child?.kill();
  });

  test("the scenarios of both generations and of tasks are found", () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(40);
  });

  test.concurrent.each(scenarios)("%s: %s", async (version, scenario) => {
    const chosen = version === "extension" ? [] : ["--spec-version", version];
    const { failed, output } = await runConformance("conformance-next", [
      ...["server", "--url", url, "--scenario", scenario, ...chosen],
    ]);

    expect(output).toMatch(/Passed: \d+\/\d+/);
    const expected = failures[`${version} ${scenario}`] ?? failures[scenario];
    expect(failed, output).toEqual(expected?.checks ?? []);
  });
});
