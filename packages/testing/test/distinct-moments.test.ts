import { crashScenarios, runCrash } from "@capstan/testing/crash";
import type { CrashMoment, CrashReport, CrashScenario } from "@capstan/testing/crash";
import { expect, test } from "vitest";

const names = ["a child with tools", "answers among local calls", "configured in mid-turn"];

test.each(crashScenarios.filter(({ name }) => names.includes(name)))(
  "$name: a death at a moment that is left out ends like one at the moment that is kept",
  async (scenario) => {
    const { points, moments } = await runCrash({ scenario, mode: "sync", faults: [] });
    const kept = new Set(moments.map(toText));
    const leftOut = points
      .map(({ process, point }): CrashMoment => ({ process, point, side: "after" }))
      .filter((moment) => !kept.has(toText(moment)));

    const ends = leftOut.map(async (moment) => {
      const { process, point } = moment;
      const next: CrashMoment = { process, point: point + 1, side: "before" };
      return { here: await endOf(scenario, moment), next: await endOf(scenario, next) };
    });

    expect(leftOut.length).toBeGreaterThan(10);
    for (const { here, next } of await Promise.all(ends)) expect(here).toEqual(next);
  },
);

function toText({ process, point, side }: CrashMoment): string {
  return `${process} ${point} ${side}`;
}

async function endOf(
  scenario: CrashScenario,
  moment: CrashMoment,
): Promise<Pick<CrashReport, "log" | "final" | "violations">> {
  const { log, final, violations } = await runCrash({
    scenario,
    mode: "sync",
    faults: [{ ...moment, do: "kill" }],
  });
  return { log, final, violations };
}
