/** The rules of a folder, read again once their files have changed. */
import { join } from "node:path";
import { LivePermissions } from "../config/live-permissions.ts";
import { projectFileName } from "../config/project.ts";
import { readSessionRules } from "../config/session-rules.ts";
import { trustFile } from "../config/trust.ts";
import { reasonOf } from "../errors/command-error.ts";
import type { Note } from "../print/notes.ts";
import type { Folder } from "./load-folder.ts";

export function livePermissionsOf({ config, reload }: Folder, note: Note): LivePermissions {
  const { folders, projectFolder, settings } = config;
  return new LivePermissions(settings.permissions, {
    files: [
      folders.configFile,
      join(projectFolder, projectFileName),
      trustFile(folders.dataFolder),
    ],
    load: async () => (await reload()).settings.permissions,
    ofSession: (sessionId) => readSessionRules(folders.dataFolder, sessionId),
    onProblem: (thrown) => note(`the rules stay as they were: ${reasonOf(thrown)}`),
  });
}
