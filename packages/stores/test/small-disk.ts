/** A disk of two megabytes, in memory. Only root can have one. */
import { execFileSync } from "node:child_process";
import { platform, userInfo } from "node:os";
import { temporaryFolder } from "./temporary-folder.ts";

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Same as the system does to a failing disk. */
  setReadOnly(isReadOnly: boolean): void;
}

/** The disk, or why there is none. */
export function smallDisk(): SmallDisk | string {
  if (platform() !== "linux") return "only Linux has disks in memory";
  if (userInfo().uid !== 0) return "only root may mount a disk";
  const folder = temporaryFolder();
  const { path } = folder;
  try {
    run("mount", "-t", "tmpfs", "-o", "size=2m,mode=755", "tmpfs", path);
  } catch (thrown) {
    folder[Symbol.dispose]();
    return `no disk could be mounted: ${String(thrown)}`;
  }
  return {
    path,
    setReadOnly: (isReadOnly) => run("mount", "-o", `remount,${isReadOnly ? "ro" : "rw"}`, path),
    [Symbol.dispose]() {
      run("umount", "-l", path);
      folder[Symbol.dispose]();
    },
  };
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: "pipe" });
}
