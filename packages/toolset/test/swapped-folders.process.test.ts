/** A folder and a link that change places all the time: a search does not follow the link. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AnyTool } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { globTool, grepTool, lsTool, readTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Node has no such call: renameat2 with RENAME_EXCHANGE, in a loop. */
const exchange = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
one, other = [path.encode() for path in sys.argv[1:3]]
if libc.renameat2(-100, one, -100, other, 2) != 0: sys.exit(3)
print("swapping", flush=True)
while True: libc.renameat2(-100, one, -100, other, 2)
`;

const hasPython = process.platform === "linux" && spawnSync("python3", ["--version"]).status === 0;

async function swappedFolder(): Promise<string> {
  const base = await temporaryFolder();
  const [cwd, outside] = [join(base, "work"), join(base, "outside")];
  await mkdir(join(cwd, "src/deep"), { recursive: true });
  await mkdir(join(outside, "deep"), { recursive: true });
  await writeFile(join(cwd, "src/deep/a.txt"), "needle inside\n");
  await writeFile(join(outside, "deep/a.txt"), "needle, the secret\n");
  await writeFile(join(outside, "deep/secret.txt"), "needle, the secret\n");
  await symlink(outside, join(cwd, "bait"));
  const swapper = spawn("python3", ["-c", exchange, join(cwd, "src"), join(cwd, "bait")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    swapper.kill("SIGKILL");
    await once(swapper, "close");
  });
  await once(swapper.stdout, "data");
  return cwd;
}

const uses: readonly (readonly [string, AnyTool, JsonValue])[] = [
  ["grep", grepTool(), { pattern: "needle" }],
  ["grep in a file", grepTool(), { pattern: "needle", path: "src/deep/a.txt" }],
  ["grep in Node", grepTool({ ripgrep: false }), { pattern: "needle" }],
  ["glob", globTool(), { pattern: "**" }],
  ["ls", lsTool(), { path: "src/deep" }],
  ["read", readTool(), { path: "src/deep/a.txt" }],
];

test.skipIf(!hasPython).each(uses)(
  "%s shows nothing from outside (needs Linux and python3)",
  async (_, tool, input) => {
    const cwd = await swappedFolder();

    const outputs = await Array.fromAsync({ length: 300 }, () => callTool(tool, input, { cwd }));

    const shown = outputs.map(({ outputMessage }) => outputMessage);
    expect(shown.filter((text) => text.includes("secret"))).toEqual([]);
    expect(shown.filter((text) => text.includes("inside") || text.includes("a.txt"))).not.toEqual(
      [],
    );
  },
);
