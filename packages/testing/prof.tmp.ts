import { exploreCrashes, crashScenarios } from "@capstan/testing";
const t = performance.now(); let n = 0;
for (const s of crashScenarios) for (const mode of ["sync","async"] as const) { const t1 = performance.now(); const r = await exploreCrashes(s, { modes: [mode] }); n += r.runs; console.log(s.name, mode, r.runs, ((performance.now()-t1)/r.runs).toFixed(2)); }
console.log(n, (performance.now() - t) / n);
