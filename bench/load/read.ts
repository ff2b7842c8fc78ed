/** Reads streams in a process of its own and checks each: `read.ts <port> <streams> <deltas each> <stalled> <skip>`. Tells what it saw. */
import { request } from "node:http";
import { stamp } from "./pace.ts";
import { loadRequest } from "./subject.ts";

const [port = 0, streams = 0, count = 0, stalled = 0, skip = 0] = process.argv.slice(2).map(Number);

const delays: number[] = [];
let wrong = 0;

await Promise.all(
  Array.from({ length: streams }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, (i * 500) / streams));
    if (i < stalled) return stall();
    const read = await readStream();
    if (read !== count) wrong += 1;
  }),
);
delays.sort((a, b) => a - b);
const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? 0;
process.send?.({ wrong, p50: at(0.5), p99: at(0.99) }, () => process.exit(0));

/** How many deltas came, in their order and each once. */
function readStream(): Promise<number> {
  return new Promise((resolve) => {
    const { body, ...options } = loadRequest;
    const sent = request({ port, host: "127.0.0.1", agent: false, ...options }, (response) => {
      let rest = "";
      let next = 0;
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        const frames = (rest + text).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) next = take(frame, next);
      });
      response.on("end", () => resolve(next));
      response.on("error", () => resolve(-1));
    });
    sent.on("error", () => resolve(-1));
    sent.end(body);
  });
}

/** The number of the delta that comes next. A frame may have several of them. */
function take(frame: string, next: number): number {
  const start = frame.indexOf("data: {");
  if (start < 0) return next;
  const { delta } = JSON.parse(frame.slice(start + 6)) as { readonly delta?: string };
  if (delta === undefined) return next;
  const words = delta.trim().split(" ");
  let expected = next;
  for (let place = 0; place < words.length; place += 2) {
    if (Number(words[place]) !== expected) return -Infinity;
    if (expected >= skip) delays.push(stamp() - Number(words[place + 1]));
    expected += 1;
  }
  return expected;
}

/** Takes nothing of what it asked for, until the others are done. */
function stall(): void {
  const { body, ...options } = loadRequest;
  const sent = request({ port, host: "127.0.0.1", agent: false, ...options }, (response) => {
    response.pause();
  });
  sent.on("error", () => {});
  sent.end(body);
}
