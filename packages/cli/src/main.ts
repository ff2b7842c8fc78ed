/** Entry point of the `capstan` command. */
import { runInProcess } from "./process/run-in-process.ts";

/** Not awaited here: once built, modules that a command loads later share chunks with this one, and would wait for it. */
export const ended: Promise<never> = runInProcess(process.argv.slice(2));
