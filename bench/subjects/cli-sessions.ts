/** The built command that lists sessions, of which there are none. For B11 only. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subject } from "../subject.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-bench-"));
const config = join(folder, "config.json");
writeFileSync(config, "{}");

export const subject: Subject = {
  name: "cli-sessions",
  goals: { B11: { ratio: 3 } },
  program: {
    args: [join(import.meta.dirname, "../../packages/cli/bin/capstan.js"), "sessions"],
    says: /^/,
    env: { CAPSTAN_DATA: folder, CAPSTAN_CONFIG: config },
  },
};
