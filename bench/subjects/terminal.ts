/** The conversation of the command. For B12 only. */
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "terminal",
  goals: {
    B12: {
      firstFrameRatio: 2,
      readyRatio: 6,
      corePercent: 30,
      bytesRatio: 2,
      lastScreenRatio: 1.5,
      openRatio: 1.5,
      hourMB: 10,
    },
  },
};
