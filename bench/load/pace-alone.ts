/**
 * The pace of a load without a server: `pace-alone.ts <streams> <deltas per second> <seconds>`. A model's deltas would come from elsewhere; here the
 * process that serves them makes them too, and that is none of a server's doing. It tells what it took.
 */
import { Meter } from "./meter.ts";
import { Pace } from "./pace.ts";

const [streams = 0, perSecond = 0, seconds = 0] = process.argv.slice(2).map(Number);
const pace = new Pace(perSecond);
const meter = new Meter();

// What is compiled once does not count, as with a server.
await makeAll();
meter.begin();
await makeAll();
process.send?.(meter.end(), () => process.exit(0));

async function makeAll(): Promise<void> {
  await Promise.all(Array.from({ length: streams }, make));
}

async function make(): Promise<void> {
  for await (const delta of pace.deltas(perSecond * seconds)) {
    if (delta === "") throw new Error("A delta of the pace is empty");
  }
}
