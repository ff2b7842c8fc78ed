/** The built command. For B11 only. */
import { join } from "node:path";
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "cli",
  goals: { B11: { ratio: 1.5 } },
  program: {
    args: [join(import.meta.dirname, "../../packages/cli/bin/capstan.js"), "--version"],
    says: /^capstan \d+\.\d+\.\d+\n$/,
  },
};
