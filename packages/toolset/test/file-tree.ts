import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** A folder with these files, by their paths; it is gone after the test. */
export async function fileTree(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const cwd = await temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), content);
  }
  return cwd;
}
