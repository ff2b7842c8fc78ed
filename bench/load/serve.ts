/** A server under load, in a process of its own: `serve.ts <subject> <deltas per second> <seconds>`. It tells its port, and what it took. */
import { Pace } from "./pace.ts";
import type { LoadSubject } from "./subject.ts";

const [name = "", perSecond = "", seconds = ""] = process.argv.slice(2);
// A file of this folder exports its subject.
const { subject } = (await import(`./${name}.ts`)) as { readonly subject: LoadSubject };
const pace = new Pace(Number(perSecond));
const count = Number(perSecond) * Number(seconds);
const port = await subject.serve(() => pace.deltas(count));

let cpuBefore = process.cpuUsage();
let startedAt = performance.now();
let rssBefore = 0;
let rssPeak = 0;
setInterval(() => {
  rssPeak = Math.max(rssPeak, process.memoryUsage.rss());
}, 50);

process.on("message", (message) => {
  if (message === "begin") {
    globalThis.gc?.();
    rssBefore = process.memoryUsage.rss();
    rssPeak = rssBefore;
    cpuBefore = process.cpuUsage();
    startedAt = performance.now();
    process.send?.({ type: "begun" });
  } else {
    const { user, system } = process.cpuUsage(cpuBefore);
    const wallMs = performance.now() - startedAt;
    const cpuMs = (user + system) / 1_000;
    process.send?.({ type: "taken", cpuMs, wallMs, rssBytes: rssPeak - rssBefore });
  }
});
process.on("disconnect", () => process.exit(0));
process.send?.({ type: "listening", port });
