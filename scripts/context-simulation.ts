// `npm run simulate:context -- [--steps N] [--window TOKENS] [--chars N] [--json]`: a long session with large outputs, once as it is
// and once with outputs that make room one by one, and what each costs. Exits with 1 if the first does not end well.
import { parseArgs } from "node:util";
import { naiveEvictions } from "./context-simulation/naive-evictions.ts";
import type { SimulationReport } from "./context-simulation/simulate.ts";
import { simulateContext } from "./context-simulation/simulate.ts";

/** What the requests of a session have to repeat of the ones before them. */
const minShare = 0.8;

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "2000" },
    window: { type: "string", default: "128000" },
    chars: { type: "string", default: "12000" },
    json: { type: "boolean", default: false },
  },
});
const [steps, window, outputChars] = [values.steps, values.window, values.chars].map(Number);
const options = { steps: steps ?? 0, window: window ?? 0, outputChars: outputChars ?? 0 };

const batched = await simulateContext(options);
const naive = await simulateContext({ ...options, agent: naiveEvictions(2 * options.window) });
if (values.json) console.log(JSON.stringify({ batched, naive }));
else {
  console.log(describe("as it is", batched));
  console.log(`  the session says that requests repeat ${percent(batched.repeatedShare)}`);
  console.log(describe("one by one", naive));
}
const complaints = complaintsAbout(batched);
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

function describe(name: string, report: SimulationReport): string {
  const { steps, requests, inputTokens, largestRequest, evictions, compactions } = report;
  return [
    `${name}: ended with ${report.finishReason} after ${steps - 1} steps and ${requests} requests`,
    `  input tokens ${inputTokens.toLocaleString("en-US")}, at most ${largestRequest.toLocaleString("en-US")} in one request`,
    `  the emulated prompt cache gave ${percent(report.cachedShare)} of them`,
    `  ${evictions} evictions, ${compactions} compactions, ${report.overflows} overflows (${report.overflowsInARow} in a row at most)`,
    `  ${report.readAgain} outputs read again, ${report.misread} of them wrong`,
  ].join("\n");
}

function percent(share: number | undefined): string {
  return share === undefined ? "nothing" : `${(share * 100).toFixed(1)} %`;
}

function complaintsAbout(report: SimulationReport): readonly string[] {
  const { finishReason, repeatedShare = 0, cachedShare, overflowsInARow, misread } = report;
  const share = Math.min(repeatedShare, cachedShare);
  return [
    finishReason === "stop" ? [] : `It did not come to its end: ${finishReason}`,
    share >= minShare
      ? []
      : `Requests repeat ${percent(share)} of the ones before them, and should ${percent(minShare)}`,
    overflowsInARow > 1 ? `${overflowsInARow} requests in a row were too long` : [],
    misread > 0 ? `${misread} outputs were not what the tool gave` : [],
  ].flat();
}
