import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { fs } from "@capstan/stores/fs";
import { expect, test } from "vitest";
import { created, entry, head, readIds } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const identity = new URL("../src/watch/process-identity.ts", import.meta.url).href;

/** Makes the lock in its own name, says so, and lives until it is killed. */
const script = `
  import { writeFileSync } from "node:fs";
  import { ownIdentity } from "${identity}";
  writeFileSync(process.argv[1], ownIdentity());
  console.log("locked");
  setInterval(() => {}, 60_000);
`;

test("while a process that is stopped holds a lock, other sessions go on; when it dies the write is made", async () => {
  using folder = temporaryFolder();
  await using store = fs(folder.path, { busyMs: 60_000 });
  await store.create("s", [created()], head());
  await store.create("t", [created()], head());
  const lock = join(folder.path, globSync("sessions/s.*", { cwd: folder.path })[0] ?? "", "lock");
  const args = ["--conditions=@capstan/source", "--input-type=module", "-e", script, lock];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGSTOP");

  const waiting = Promise.resolve(store.post("s", entry("late")));
  const seqs = Array.from({ length: 20 }, async (_, i) => store.post("t", entry(`p${i}`)));
  const first = await Promise.race([waiting, Promise.all(seqs)]);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  const posted = await waiting;

  expect(first).toHaveLength(20);
  expect(posted).toEqual({ seq: 2, isNew: true });
  expect(await readIds(store, "s")).toEqual(["created", "late"]);
  expect(existsSync(lock)).toBe(false);
});
