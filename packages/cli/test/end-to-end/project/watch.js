// Says in a file that it runs, and does so until somebody ends it.
import { appendFileSync } from "node:fs";

setInterval(() => {}, 1000);
appendFileSync("watch.log", `${process.pid}\n`);
