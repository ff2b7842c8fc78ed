import { execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const fixture = fileURLToPath(new URL("./fixtures/call-as-nobody.ts", import.meta.url));

test("a file or folder that may not be opened is answered with the reason", async () => {
  const cwd = await temporaryFolder();
  await chmod(cwd, 0o755);
  await mkdir(join(cwd, "closed"));
  await writeFile(join(cwd, "closed/a.txt"), "a");
  await writeFile(join(cwd, "closed.txt"), "b");
  await chmod(join(cwd, "closed"), 0);
  // Or else nobody but root could clean up.
  onTestFinished(() => chmod(join(cwd, "closed"), 0o755));
  await chmod(join(cwd, "closed.txt"), 0);

  const stdout = execFileSync(process.execPath, ["--conditions=@capstan/source", fixture, cwd], {
    encoding: "utf8",
  });

  expect(JSON.parse(stdout)).toEqual(
    ["closed", "closed.txt", "closed/a.txt"].map((path) => ({
      ok: false,
      outputMessage: `No permission to open ${path}. Use another path, or ask the user for access.`,
      details: { code: "no_permission" },
    })),
  );
});
