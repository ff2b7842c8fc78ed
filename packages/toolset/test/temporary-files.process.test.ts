/** Temporary files that a killed process leaves behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noteTemporary, sweepTemporaryFiles, temporaryName } from "../src/files/temporary-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Makes a temporary file as a write does, and is killed before the file is moved. */
const dyingWriter = `
  import { writeFileSync } from "node:fs";
  import { join } from "node:path";
  const { noteTemporary, temporaryName } = await import(process.argv[1]);
  const path = join(process.argv[2], temporaryName());
  await noteTemporary(path);
  writeFileSync(path, "half");
  process.kill(process.pid, "SIGKILL");
`;

test("the next process removes the file of one that was killed, and leaves those of others alone", async () => {
  const cwd = await temporaryFolder();
  const module = new URL("../src/files/temporary-files.ts", import.meta.url).href;
  const child = spawn(process.execPath, [
    "--input-type=module-typescript",
    "-e",
    dyingWriter,
    module,
    cwd,
  ]);
  await once(child, "exit");
  const left = await readdir(cwd);
  const own = temporaryName();
  const forget = await noteTemporary(join(cwd, own));
  await writeFile(join(cwd, own), "under way");
  await writeFile(join(cwd, ".capstan-notes.tmp"), "the user's");

  await sweepTemporaryFiles();

  expect(left).toEqual([expect.stringMatching(/^\.capstan-\d+-.*\.tmp$/)]);
  expect((await readdir(cwd)).toSorted()).toEqual([own, ".capstan-notes.tmp"].toSorted());
  await forget();
});
