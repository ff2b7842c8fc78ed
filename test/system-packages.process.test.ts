/** `scripts/system-packages` on machines that lack what it needs. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const script = join(import.meta.dirname, "..", "scripts", "system-packages");

/** Runs the script with these programs and no others. It fails unless the script succeeds. */
async function run(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-path-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${body}\n`, { mode: 0o755 });
  }
  for (const name of ["mktemp", "rm", "tail"]) symlinkSync(`/usr/bin/${name}`, join(folder, name));
  const { stdout } = await promisify(execFile)("/bin/bash", [script], { env: { PATH: folder } });
  return stdout;
}

test.skipIf(process.platform !== "linux")(
  "names what it cannot install, and succeeds",
  async () => {
    const elsewhere = await run({ tmux: "", pgbouncer: "" });
    const asUser = await run({ "apt-get": "exit 1", id: "echo 1000", bwrap: "", pgbouncer: "" });
    const offline = await run({
      "apt-get": "echo E: no network; exit 100",
      id: "echo 0",
      bwrap: "",
      chromium: "",
      pgbouncer: "",
    });

    expect(elsewhere).toBe(
      "Not installed, as there is no apt-get: bubblewrap chromium fonts-liberation\n",
    );
    expect(asUser).toBe("Not installed, as only root may: chromium fonts-liberation tmux\n");
    expect(offline).toBe("tmux could not be installed:\nE: no network\n");
  },
);

test.skipIf(process.platform !== "linux")("is silent if it needs nothing", async () => {
  const silent = await run({
    chromium: "",
    tmux: "",
    bwrap: "",
    pgbouncer: "",
    "apt-get": "exit 1",
  });

  expect(silent).toBe("");
});
