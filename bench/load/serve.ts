/** A server under load, in a process of its own: `serve.ts <subject> <deltas per second> <seconds>`. It tells its port, and what it took. */
import { Meter } from "./meter.ts";
import { Pace } from "./pace.ts";
import type { LoadSubject } from "./subject.ts";

const [name = "", perSecond = "", seconds = ""] = process.argv.slice(2);
// A file of this folder exports its subject.
const { subject } = (await import(`./${name}.ts`)) as { readonly subject: LoadSubject };
const pace = new Pace(Number(perSecond));
// Of a second, until it counts.
let count = Number(perSecond);
const port = await subject.serve(() => pace.deltas(count));
const meter = new Meter();

process.on("message", (message) => {
  if (message === "begin") {
    count = Number(perSecond) * Number(seconds);
    meter.begin();
    process.send?.({ type: "begun" });
  } else process.send?.(meter.end());
});
process.on("disconnect", () => process.exit(0));
process.send?.({ type: "listening", port });
