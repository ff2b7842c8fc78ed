/** The built command that runs a turn without a model. For B11 only. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subject } from "../subject.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-bench-"));

export const subject: Subject = {
  name: "cli-turn",
  goals: { B11: { ratio: 4.5 } },
  program: {
    args: [join(import.meta.dirname, "../../packages/cli/bin/capstan.js"), "--offline", "Hello"],
    says: /\w/,
    env: { CAPSTAN_DATA: folder, CAPSTAN_CONFIG: join(folder, "config.json") },
  },
};
