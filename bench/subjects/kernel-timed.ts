/** `runTurn` with a clock and deadlines as well: what they add. */
import { kernelAgent, timer } from "../kernel-script.ts";
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "kernel-timed",
  goals: {},
  createAgent: async (options) => kernelAgent(options, () => ({ now: Date.now, clock: { timer } })),
};
