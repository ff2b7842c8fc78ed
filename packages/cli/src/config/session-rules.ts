/** Rules that a user gave for one session, in a file of the data folder. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isCapstanError } from "@capstan/kernel";
import { parseRule, withLayer } from "../permissions/rule.ts";
import { parseSettings } from "./parse-settings.ts";
import { isSystemError } from "./read-file.ts";
import type { Permissions } from "./settings.ts";

/** Ids of sessions may have any characters, so the name is a hash. */
export function sessionRulesFile(dataFolder: string, sessionId: string): string {
  const name = createHash("sha256").update(sessionId).digest("hex").slice(0, 40);
  return join(dataFolder, "session-rules", `${name}.json`);
}

/** A file that is damaged asks about every call: it may have had a rule that denies. */
export function readSessionRules(dataFolder: string, sessionId: string): Permissions {
  const path = sessionRulesFile(dataFolder, sessionId);
  try {
    const { permissions } = parseSettings(path, readFileSync(path, "utf8")).settings;
    return {
      allow: withLayer(permissions?.allow, "session"),
      ask: withLayer(permissions?.ask, "session"),
      deny: withLayer(permissions?.deny, "session"),
    };
  } catch (thrown) {
    if (isSystemError(thrown) && thrown.code === "ENOENT") return none;
    if (!isCapstanError(thrown) && !isSystemError(thrown)) throw thrown;
    return { ...none, ask: withLayer([parseRule("*")], "session") };
  }
}

const none: Permissions = { allow: [], ask: [], deny: [] };

/** For a session that is deleted: another one may get its id. */
export async function forgetSessionRules(dataFolder: string, sessionId: string): Promise<void> {
  await rm(sessionRulesFile(dataFolder, sessionId), { force: true });
}
