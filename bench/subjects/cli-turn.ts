/** The built command that runs a turn without a model. For B11 only. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subject } from "../subject.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-bench-"));
const config = join(folder, "config.json");
writeFileSync(config, "{}");

export const subject: Subject = {
  name: "cli-turn",
  goals: { B11: { ratio: 4.5 } },
  program: {
    args: [join(import.meta.dirname, "../../packages/cli/bin/capstan.js"), "--offline", "Hello"],
    says: /\w/,
    isFirstOutput: true,
    env: { CAPSTAN_DATA: folder, CAPSTAN_CONFIG: config },
  },
};
