/** What was piped into this process. */
import type { Input } from "./io.ts";

const stdinFd = 0;

export function processInput(): Input {
  return {
    get kind() {
      return kindOf();
    },
    // Chunks are bytes, as nobody has set an encoding.
    read: () => process.stdin as AsyncIterable<Uint8Array>,
  };
}

function kindOf(): Input["kind"] {
  try {
    // Loaded when somebody asks: help and version have no use for it.
    const stat = process.getBuiltinModule("node:fs").fstatSync(stdinFd);
    if (stat.isFIFO()) return "pipe";
    if (stat.isFile()) return "file";
    return stat.isSocket() ? "socket" : "none";
  } catch {
    // Closed by whoever started us.
    return "none";
  }
}
