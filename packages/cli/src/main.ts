/** The entry of the `capstan` command. */
import { runInProcess } from "./process/run-in-process.ts";

/** Not awaited here: what a command loads later has modules in common with this one, once they are built, and would wait for it. */
export const ended: Promise<never> = runInProcess(process.argv.slice(2));
