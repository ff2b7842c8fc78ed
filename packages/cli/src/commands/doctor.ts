/** `capstan doctor`: checks everything a turn needs, and advises what to do. */
import type { DoctorRequest } from "../command-line/request.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Check } from "../doctor/check.ts";
import { checkCommands } from "../doctor/check-commands.ts";
import { checkConfig } from "../doctor/check-config.ts";
import { checkChoice, checkKeys, checkServers } from "../doctor/check-models.ts";
import { checkMcp } from "../doctor/check-mcp.ts";
import { checkPrograms } from "../doctor/check-programs.ts";
import { checkVersions } from "../doctor/check-versions.ts";
import type { Io } from "../process/io.ts";
import type { ExitCode } from "./exit-code.ts";
import { createModelSource } from "../model/model-source.ts";
import { toOneLine } from "../print/terminal-text.ts";

/** Exits with 1 if a check fails. Throws a `ModelError` if the configuration is incomplete. */
export async function runDoctor(
  io: Io,
  { isJson, isOffline }: DoctorRequest,
  config: LoadedConfig,
): Promise<ExitCode> {
  const { settings } = config;
  const { signal } = io;
  const source = createModelSource(settings, io.env);
  const [servers, choice, store, programs, commands, mcp] = await Promise.all([
    isOffline ? [] : checkServers(source, signal, settings.lookMs),
    checkChoice(settings, source, { isOffline, signal }),
    lookAtStore(settings.store),
    checkPrograms(io.env),
    checkCommands(settings, io.env),
    isOffline ? [] : checkMcp(config, io.env, io.clock.now()),
  ]);
  const checks = [
    ...checkVersions(process.version),
    ...checkConfig(config),
    ...checkKeys(source),
    ...servers,
    choice,
    store,
    ...programs,
    ...commands,
    ...mcp,
  ];
  for (const check of checks) {
    io.stdout.write(isJson ? `${JSON.stringify(check)}\n` : toLines(check));
  }
  return checks.some(({ state }) => state === "fail") ? 1 : 0;
}

/** Imports the check lazily: a Node that is too old has no SQLite, and that must be reported instead of crashing. */
async function lookAtStore(path: string): Promise<Check> {
  try {
    const { checkStore } = await import("../doctor/check-store.ts");
    return await checkStore(path);
  } catch (thrown) {
    return { name: "store", state: "fail", text: String(thrown) };
  }
}

function toLines({ name, state, text, advice }: Check): string {
  const line = `${state.padEnd(6)}${name}: ${toOneLine(text)}\n`;
  return advice === undefined ? line : `${line}${" ".repeat(6)}→ ${toOneLine(advice)}\n`;
}
