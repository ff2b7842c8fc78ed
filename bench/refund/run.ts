/** A refund that is approved, and killed after the money has left: in Capstan and in two other runtimes, each with its durable store. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../packages/stores/test/postgres-server.ts";
import type { Refunds } from "../results-page.ts";

const bench = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "refund-"));
const server = await startPostgres();
if (typeof server === "string") throw new Error(`Nothing was tried, as ${server}`);
try {
  const all = [
    refundWith("Capstan", join(import.meta.dirname, "capstan.ts"), join(folder, "sessions.db")),
    refundWith("LangGraph", join(bench, "durable/peers/refund.mjs"), server.url),
    refundWith("OpenAI Agents", join(bench, "peers/refund.mjs"), join(folder, "state.json")),
  ];
  for (const refunds of all) {
    const { name, count, answer } = refunds;
    if (process.argv.includes("--json")) console.log(JSON.stringify(refunds));
    else console.log(`${name}: refunded ${count} times; it says: ${answer}`);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}

/** Asks, approves in a process that dies in the tool, and continues in a third one. */
function refundWith(name: string, file: string, where: string): Refunds {
  const ledger = join(folder, `${name}.txt`);
  const step = (command: string, dies: boolean): string => {
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      ["--conditions=@capstan/source", "--no-warnings", file, command, where],
      { encoding: "utf8", env: { ...process.env, LEDGER: ledger, DIES: dies ? "1" : "0" } },
    );
    const isAsExpected = dies ? signal === "SIGKILL" : status === 0;
    if (!isAsExpected) throw new Error(`${name} ${command}: ${status ?? signal} ${stderr}`);
    return stdout.trim();
  };
  step("ask", false);
  if (existsSync(ledger)) throw new Error(`${name} refunded without an approval`);
  step("approve", true);
  const answer = step("resume", false);
  return { name, count: readFileSync(ledger, "utf8").trim().split("\n").length, answer };
}
