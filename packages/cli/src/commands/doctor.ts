/** `capstan doctor`: looks at everything that a turn needs, and says what to do. */
import type { DoctorRequest } from "../command-line/request.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Check } from "../doctor/check.ts";
import { checkConfig } from "../doctor/check-config.ts";
import { checkChoice, checkKeys, checkServers } from "../doctor/check-models.ts";
import { checkPrograms } from "../doctor/check-programs.ts";
import { checkVersions } from "../doctor/check-versions.ts";
import type { ExitCode, Io } from "../process/io.ts";
import { createModelSource } from "../model/model-source.ts";
import { toOneLine } from "../print/terminal-text.ts";

/** 1 if something fails. Throws a `ModelError` for a configuration that is incomplete. */
export async function runDoctor(
  io: Io,
  { isJson, isOffline }: DoctorRequest,
  config: LoadedConfig,
): Promise<ExitCode> {
  const { settings } = config;
  const { signal } = io;
  const source = createModelSource(settings, io.env);
  const [servers, choice, store, programs] = await Promise.all([
    isOffline ? [] : checkServers(source, signal, settings.lookMs),
    checkChoice(settings, source, { isOffline, signal }),
    lookAtStore(settings.store),
    checkPrograms(io.env),
  ]);
  const checks = [
    ...checkVersions(process.version),
    ...checkConfig(config),
    ...checkKeys(source),
    ...servers,
    choice,
    store,
    ...programs,
  ];
  for (const check of checks) {
    io.stdout.write(isJson ? `${JSON.stringify(check)}\n` : toLines(check));
  }
  return checks.some(({ state }) => state === "fail") ? 1 : 0;
}

/** Loaded here: a Node that is too old has no SQLite, and that is to be said and not to be stumbled over. */
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
