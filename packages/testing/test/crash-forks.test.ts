import { crashScenarios, runCrash } from "@capstan/testing/crash";
import type { CrashScenario, FinalState } from "@capstan/testing/crash";
import { expect, test } from "vitest";

const forking = crashScenarios.filter(({ actions }) =>
  actions.some(({ do: what }) => what === "fork"),
);

test.each(forking)("$name: the original comes to the same end as without it", async (scenario) => {
  const forked = await runCrash({ scenario, mode: "async", faults: [] });
  const alone = await runCrash({ scenario: withoutForks(scenario), mode: "async", faults: [] });

  expect(Object.keys(forked.final.forks)).toEqual(["fork"]);
  expect(withoutFork(forked.final)).toEqual(withoutFork(alone.final));
  expect(forked.log.map(({ type }) => type)).toEqual(alone.log.map(({ type }) => type));
});

function withoutForks(scenario: CrashScenario): CrashScenario {
  const actions = scenario.actions.filter(
    (action) => action.do !== "fork" && action.session === undefined,
  );
  return { ...scenario, actions };
}

function withoutFork(final: FinalState): FinalState {
  return { ...final, forks: {} };
}
