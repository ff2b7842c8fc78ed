/** Detects file systems on which SQLite's write-ahead log is not safe: it needs memory that all processes share, and locks that hold. */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { RepositoryError } from "@capstan/log";

/** Reaction to a database on a network or bind mount. */
export type SharedMountPolicy = "warn" | "fail" | "ignore";

/** `f_type` as Linux reports it: man 2 statfs. Docker Desktop and virtual machines share folders by 9p, VirtioFS (which is FUSE) or vboxsf. */
const kinds: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0x786f4256, "vboxsf"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x47504653, "GPFS"],
  [0x0bd00bd0, "Lustre"],
]);

/**
 * Warns, or fails with `unavailable`, if the folder of the database is on such a mount. Does nothing if that is unknown, as on systems
 * other than Linux.
 */
export function checkMount(
  path: string,
  policy: SharedMountPolicy,
  typeOf: (folder: string) => number | undefined = typeOfMount,
): void {
  if (policy === "ignore") return;
  const kind = kinds.get(typeOf(dirname(path)) ?? 0);
  if (kind === undefined) return;
  const message = `${path} is on a mount of type ${kind}, on which SQLite's locks and shared memory may not work: processes on both sides of it can damage the database. Put it on a local disk, or use PostgreSQL`;
  if (policy === "fail") throw new RepositoryError("unavailable", "", message);
  process.emitWarning(`${message}. If only one machine uses it, set sharedMount: "ignore"`, {
    code: "CAPSTAN_SHARED_MOUNT",
  });
}

function typeOfMount(folder: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // Some architectures report it as a signed number.
    return statfsSync(folder).type >>> 0;
  } catch {
    // Opening the database will report what is wrong with the folder.
    return undefined;
  }
}
