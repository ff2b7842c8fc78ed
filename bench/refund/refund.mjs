/** What the three programs share: the bank that dies in the middle of its work, and the words of the model. */
import { appendFileSync } from "node:fs";

export const question = "Please refund order A-1.";

/** What this process is to do, with which store and which ledger. */
export function orderOf() {
  const [command, where] = process.argv.slice(2);
  return { command, where };
}

/** Pays, and dies before it can say so if it is told to. */
export async function bank(order) {
  appendFileSync(process.env.LEDGER, `${order}\n`);
  if (process.env.DIES === "1") process.kill(process.pid, "SIGKILL");
  return "Refunded.";
}

/** What a model would say to the result of the tool. */
export function answerTo(result) {
  return result.includes("Refunded")
    ? "I have refunded your order."
    : "The connection broke during the refund. I will check with the bank before I try again.";
}
