/** A process that slept past its lease, as a laptop does. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const leaseMs = 400;

test.each(["sqlite", "fs"])(
  "%s: a process that slept inside of a tool keeps its result, if no other host was there",
  async (kind) => {
    using folder = temporaryFolder();
    const script = fileURLToPath(new URL("./sleeping-worker.ts", import.meta.url));
    const child = fork(script, [kind, folder.path, String(leaseMs)], {
      execArgv: ["--conditions=@capstan/source", "--no-warnings"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");

    child.kill("SIGSTOP");
    // By the real clock: the lease has to run out.
    await sleep(3 * leaseMs);
    child.kill("SIGCONT");
    const [outcome] = (await once(child, "message")) as [unknown];

    expect(outcome).toEqual({ status: "completed", results: ["The bill is paid"] });
    expect(readFileSync(join(folder.path, "payments"), "utf8")).toBe("paid\n");
  },
);
