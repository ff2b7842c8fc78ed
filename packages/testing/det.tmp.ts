import { exploreCrashes, crashScenarios } from "@capstan/testing";
for (let k = 0; k < 2; k++) { let n = 0; for (const s of crashScenarios) n += (await exploreCrashes(s, { modes: ["sync"] })).points; console.log(n); }
