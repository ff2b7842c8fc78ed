import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim, SessionRepository } from "@capstan/log";
import { isRepositoryError } from "@capstan/log";
import { expect, test } from "vitest";
import { failureOf } from "./failure-of.ts";
import { localKinds, openStore } from "./open-store.ts";
import { created, entry, head, readIds } from "./samples.ts";
import type { SmallDisk } from "./small-disk.ts";
import { smallDisk } from "./small-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { WorkerProcess } from "./worker-process.ts";

type Skip = (reason: string) => void;

/** Skips where there is none to be had. */
function mustMount(skip: Skip): SmallDisk {
  const disk = smallDisk();
  if (typeof disk !== "string") return disk;
  skip(disk);
  throw new Error(disk);
}

/** Until it fails: the ids that were written, and what it failed with. */
async function appendUntilFull(
  store: SessionRepository,
  { lease }: Claim,
): Promise<{ readonly written: string[]; readonly failure: unknown }> {
  const written: string[] = [];
  for (;;) {
    const ids = [0, 1, 2].map((k) => `e${written.length + k}`);
    const entries = ids.map((id) => entry(id, "x".repeat(5_000)));
    try {
      await store.append("s", entries, { lease });
    } catch (failure) {
      return { written, failure };
    }
    written.push(...ids);
  }
}

test.for([...localKinds])(
  "%s: on a full disk a write fails with a reason, all before it can be read, and writing goes on when there is room",
  async (kind, { skip }) => {
    using disk = mustMount(skip);
    await using store = openStore(kind, disk.path);
    const filler = join(disk.path, "filler");
    writeFileSync(filler, Buffer.alloc(800_000));
    await store.create("s", [created()], head());
    const claim = (await store.acquire("s", "first", 600_000)) as Claim;

    const { written, failure } = await appendUntilFull(store, claim);
    const whileFull = await readIds(store, "s");
    rmSync(filler);
    await store.append("s", [entry("after")], { lease: claim.lease });

    expect(isRepositoryError(failure) && failure.code).toBe("unavailable");
    expect(String(failure)).toMatch(/full/);
    expect(written.length).toBeGreaterThan(10);
    expect(whileFull).toEqual(["created", ...written]);
    expect(await readIds(store, "s")).toEqual(["created", ...written, "after"]);
    await using next = openStore(kind, disk.path);
    expect(await readIds(next, "s")).toEqual(["created", ...written, "after"]);
  },
);

test("fs: on a read-only disk a write fails with a reason, entries can be read, and writing goes on later", async ({
  skip,
}) => {
  using disk = mustMount(skip);
  await using store = openStore("fs", disk.path);
  await store.create("s", [created()], head());

  disk.setReadOnly(true);
  const failure = await failureOf(() => store.post("s", entry("p")));
  const whileReadOnly = await readIds(store, "s");
  disk.setReadOnly(false);
  await store.post("s", entry("p"));

  expect(isRepositoryError(failure) && failure.code).toBe("unavailable");
  expect(whileReadOnly).toEqual(["created"]);
  expect(await readIds(store, "s")).toEqual(["created", "p"]);
});

test.for([...localKinds])(
  "%s: a store on a disk that can only be read is not opened, and the reason is told",
  async (kind, { skip }) => {
    using disk = mustMount(skip);
    const store = openStore(kind, disk.path);
    await store.create("s", [created()], head());
    await store.close();

    disk.setReadOnly(true);
    const failure = await failureOf(() => openStore(kind, disk.path));
    disk.setReadOnly(false);

    expect(isRepositoryError(failure) && failure.code).toBe("unavailable");
    expect(String(failure)).toMatch(/read-only|is writable/);
    await using again = openStore(kind, disk.path);
    expect(await readIds(again, "s")).toEqual(["created"]);
  },
);

test.for(["sqlite", "fs"])(
  "%s: a process without permission is told so when it opens the store",
  async (kind, { skip }) => {
    if (process.getuid?.() !== 0) skip("only root may start a process of another user");
    using folder = temporaryFolder();
    await openStore(kind, folder.path).close();
    chmodSync(folder.path, 0o700);

    const worker = new WorkerProcess({ kind, where: folder.path, task: "fail", uid: 65_534 });
    await worker.ended();

    expect(worker.lines).toEqual([]);
    expect(worker.errors).toMatch(/RepositoryError: The (database|folder) .* failed/);
  },
);
