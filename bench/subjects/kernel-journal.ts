/** `kernel-timed` with a journal that keeps each fact as an entry, in a list: the least that remembers a turn. */
import type { Entry } from "@capstan/log";
import { kernelAgent, timer } from "../kernel-script.ts";
import type { Subject } from "../subject.ts";
import { TurnEntries } from "../turn-entries.ts";

export const subject: Subject = {
  name: "kernel-journal",
  goals: {},
  createAgent: async (options) =>
    kernelAgent(options, (turnId) => {
      const made = new TurnEntries(turnId, 0);
      const log: Entry[] = [];
      return {
        now: Date.now,
        clock: { timer },
        journal: {
          record(facts) {
            log.push(...made.of(facts));
          },
        },
      };
    }),
};
