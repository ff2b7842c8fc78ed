import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** A working folder with ways out of it, next to a folder with a secret. */
export async function guardedFolder(): Promise<{ cwd: string; outside: string }> {
  const base = await temporaryFolder();
  const [cwd, outside] = [join(base, "work"), join(base, "work-outside")];
  await mkdir(join(cwd, "src/deep"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), "the secret");
  await writeFile(join(cwd, "src/a.txt"), "inside");
  await writeFile(join(cwd, "src/deep/b.txt"), "inside");
  await symlink(outside, join(cwd, "link-out"));
  await symlink("../../work-outside/secret.txt", join(cwd, "src/secret-link"));
  await symlink("src", join(cwd, "link-in"));
  return { cwd, outside };
}
