/** Piped input of this process. */
import type { Input } from "./io.ts";

const stdinFd = 0;

export function processInput(): Input {
  return {
    get kind() {
      return kindOf();
    },
    // Chunks are bytes, as no encoding is set.
    read: () => process.stdin as AsyncIterable<Uint8Array>,
  };
}

function kindOf(): Input["kind"] {
  try {
    // Loaded on demand: help and version do not need it.
    const stat = process.getBuiltinModule("node:fs").fstatSync(stdinFd);
    if (stat.isFIFO()) return "pipe";
    if (stat.isFile()) return "file";
    return stat.isSocket() ? "socket" : "none";
  } catch {
    // Closed by the parent process.
    return "none";
  }
}
