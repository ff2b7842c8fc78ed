/** Node alone. For B11 only. */
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "node",
  goals: {},
  program: { args: ["-e", "0"], says: /^$/ },
};
