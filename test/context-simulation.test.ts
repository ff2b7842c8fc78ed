import { expect, test } from "vitest";
import { naiveEvictions } from "../scripts/context-simulation/naive-evictions.ts";
import { simulateContext } from "../scripts/context-simulation/simulate.ts";

const options = { steps: 150, window: 16_000, outputChars: 1_500 };

test("a session with large outputs comes to its end, and its requests repeat most of the ones before", async () => {
  const report = await simulateContext(options);

  expect(report).toMatchObject({ finishReason: "stop", steps: 151, overflows: 0, misread: 0 });
  expect(report.evictions).toBeGreaterThan(5);
  expect(report.readAgain).toBeGreaterThan(0);
  expect(report.largestRequest).toBeLessThanOrEqual(options.window);
  expect(report.cachedShare).toBeGreaterThan(0.75);
  expect(report.repeatedShare).toBeCloseTo(report.cachedShare, 1);
}, 60_000);

test("outputs that make room one by one cost most of what a prompt cache could give", async () => {
  const agent = naiveEvictions(2 * options.window);

  const report = await simulateContext({ ...options, agent });

  expect(report.cachedShare).toBeLessThan(0.5);
}, 60_000);
