/** The command on the terminal of its process, with a model that sends 2,000 deltas a second. */
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@capstan/core";
import type { ProviderContract } from "@capstan/kernel";
import { runInProcess } from "../../packages/cli/src/process/run-in-process.ts";
import { deltasOf } from "./deltas.ts";

const tickMs = 10;

const provider: ProviderContract = {
  id: "paced",
  contextWindow: 100_000_000,
  async *stream() {
    const deltas = deltasOf(Number(process.env["B12_SECONDS"]));
    const startedAt = performance.now();
    const usage = process.cpuUsage();
    let sent = 0;
    while (sent < deltas.length) {
      const due = Math.min(
        deltas.length,
        Math.ceil(((performance.now() - startedAt) / 1_000) * 2_000),
      );
      while (sent < due) {
        yield { type: "text_delta", delta: deltas[sent] ?? "" };
        sent += 1;
      }
      await sleep(tickMs);
    }
    const { user, system } = process.cpuUsage(usage);
    const report = { cpuMs: (user + system) / 1_000, wallMs: performance.now() - startedAt };
    writeFileSync(process.env["B12_REPORT"] ?? "", JSON.stringify(report));
    yield { type: "text_delta", delta: "\n\nЯ" };
    yield { type: "finish", reason: "stop" };
  },
};

await runInProcess(process.argv.slice(2), {
  clock: systemClock,
  chooseModel: () => ({ model: { provider, id: "" }, name: "paced", reason: "a bench wants it" }),
});
