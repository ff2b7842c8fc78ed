/** The entry of the `capstan` command. */
import { runInProcess } from "./run-in-process.ts";

await runInProcess(process.argv.slice(2));
