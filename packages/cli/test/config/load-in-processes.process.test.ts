import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { LoadConfigInput } from "../../src/config/load-config.ts";
import { projectFile, surroundings, trustedFile, userFile } from "./surroundings.ts";
import type { Waiting } from "./waiting-process.ts";
import { waitingProcess } from "./waiting-process.ts";

const fixture = fileURLToPath(new URL("./fixtures/load.ts", import.meta.url));

function waiting(input: LoadConfigInput, asNobody = false): Promise<Waiting> {
  return waitingProcess(fixture, { ...input, asNobody });
}

test("of processes that trust at the same moment none loses what another one wrote", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
  const { root, folders } = await surroundings(
    Object.fromEntries(names.map((name) => [`${name}/capstan.json`, { maxSteps: 5 }])),
  );
  const processes = await Promise.all(
    names.map((name) =>
      waiting({ cwd: join(root, name), env: {}, folders, flags: {}, trust: true }),
    ),
  );

  const told = await Promise.all(processes.map(({ start }) => start()));

  const { folders: trusted } = JSON.parse(await readFile(join(root, trustedFile), "utf8"));
  expect(told).toEqual(names.map(() => ({ isTrusted: true, notes: [] })));
  expect(Object.keys(trusted).toSorted()).toEqual(names.map((name) => join(root, name)));
});

test("files that cannot be read or written are reported, and not trusted", async () => {
  const { root, project, folders } = await surroundings({
    [userFile]: "{}",
    [projectFile]: { maxSteps: 5 },
  });
  const data = join(root, trustedFile, "..");
  await mkdir(data, { recursive: true });
  await Promise.all([root, data].map((folder) => chmod(folder, 0o555)));
  const input = { cwd: project, env: {}, folders, flags: {} };

  const trusting = await (await waiting({ ...input, trust: true }, true)).start();
  const later = await (await waiting({ ...input, trust: false }, true)).start();
  await chmod(folders.configFile, 0);
  const unreadable = await (await waiting({ ...input, trust: false }, true)).start();

  const file = join(project, "capstan.json");
  expect(trusting).toEqual({
    isTrusted: true,
    notes: [
      `${file} is trusted this time only: ${join(data, "trusted.json")} cannot be written (EACCES).`,
    ],
  });
  expect(later).toMatchObject({
    isTrusted: false,
    notes: [expect.stringContaining("ignoring maxSteps.")],
  });
  expect(unreadable).toEqual({
    error: `ConfigError: ${folders.configFile} cannot be read (EACCES): fix or remove it`,
  });
});
