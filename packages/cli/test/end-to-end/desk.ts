/** A user with a project, a configuration, and a service that is emulated. */
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { watch } from "node:fs";
import { dirname, delimiter, join } from "node:path";
import type { Emulator, EmulatorScriptItem } from "@capstan/testing/emulators";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../memory-io.ts";
import { noServers } from "../model/settings.ts";
import type { RunningCommand } from "../spawn-command.ts";
import { files, spawnCommand } from "../spawn-command.ts";
import type { Protocol } from "./protocols.ts";

/** Only the service may ever see it. */
export const secretKey = "sk-test-0123456789-secret";

export interface Desk {
  /** The project's folder. */
  readonly project: string;
  readonly service: Emulator;
  /** Starts the built command in the project. */
  capstan(...args: readonly string[]): RunningCommand;
  /** A file of the project; undefined if there is none. */
  read(path: string): Promise<string | undefined>;
  /** Resolves with the text of a file of the project once it has so many lines; default one. */
  written(path: string, lineCount?: number): Promise<string>;
  /** All files of the project, by their paths. */
  list(): Promise<readonly string[]>;
}

/** Environment of a new user, in a separate folder. */
export function environmentIn(home: string): Readonly<Record<string, string>> {
  return {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: home,
    ...noServers,
  };
}

export async function openDesk(
  protocol: Protocol,
  script: readonly EmulatorScriptItem[],
): Promise<Desk> {
  const folder = await temporaryFolder();
  const project = join(folder, "project");
  await cp(join(import.meta.dirname, "project"), project, { recursive: true });
  await mkdir(join(project, ".git"));
  const service = await protocol.emulate(script, { apiKey: secretKey });
  onTestFinished(() => service.close());
  const [vendor = ""] = protocol.model.split("/");
  const config = join(folder, "config.json");
  const settings = {
    model: protocol.model,
    providers: { [vendor]: protocol.provider(service.url) },
  };
  await writeFile(config, JSON.stringify(settings));
  const env = {
    ...environmentIn(folder),
    CAPSTAN_CONFIG: config,
    [protocol.keyVariable]: secretKey,
  };
  // Undefined for a file that is not there.
  const read = (path: string): Promise<string | undefined> =>
    readFile(join(project, path), "utf8").catch(() => undefined);
  return {
    project,
    service,
    capstan: (...args) => spawnCommand(files.bin, args, { cwd: project, env }),
    read,
    written: async (path, lineCount = 1) => {
      const changes = Promise.withResolvers<string>();
      const look = async (): Promise<void> => {
        const text = (await read(path)) ?? "";
        if (text.split("\n").length > lineCount) changes.resolve(text);
      };
      const watcher = watch(project, () => void look());
      try {
        await look();
        return await changes.promise;
      } finally {
        watcher.close();
      }
    },
    list: async () => {
      const entries = await readdir(project, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
        .toSorted();
    },
  };
}
