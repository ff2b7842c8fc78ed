/** `runTurn` with a listener: like the floors, it keeps no time. */
import { kernelAgent } from "../kernel-script.ts";
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "kernel",
  goals: {
    B1: { ratio: 2 },
    B2: { ratio: 1.1, heapMB: 1 },
    B3: { ratio: 1.5 },
    B4: { ratio: 1.7, rssKB: 60 },
    B5: { wallMs: 10, cpuMs: 10, dependencies: 0 },
  },
  packageFolder: "packages/kernel",
  createAgent: async (options) => kernelAgent(options, () => ({})),
};
