/** Settings of a user who has set nothing else. */
import type { LoadedConfig } from "../../src/config/load-config.ts";
import type { Settings } from "../../src/config/settings.ts";

export function settingsWith(changes: Partial<Settings> = {}): Settings {
  return {
    maxSteps: 200,
    retry: { maxAttempts: 1 },
    deadlines: {},
    // More than any machine needs to answer itself: what a test finds does not depend on how busy it is.
    lookMs: 10_000,
    planning: { maxContinuations: 3 },
    permissions: { allow: [], ask: [], deny: [] },
    roots: [],
    tools: { fetch: false, bash: {} },
    providers: {},
    mcp: { servers: {} },
    store: "/nowhere/sessions.db",
    ...changes,
  };
}

/** Address without a server, so that no test finds a server of its machine. */
export const noServers: Readonly<Record<string, string>> = {
  OLLAMA_BASE_URL: "http://127.0.0.1:1/v1",
  LLAMACPP_BASE_URL: "http://127.0.0.1:1/v1",
  LMSTUDIO_BASE_URL: "http://127.0.0.1:1/v1",
};

export function configWith(
  settings: Partial<Settings> = {},
  changes: Partial<LoadedConfig> = {},
): LoadedConfig {
  return {
    settings: settingsWith(settings),
    files: [],
    notes: [],
    projectFolder: "/nowhere",
    userFolder: "/nowhere",
    folders: { configFile: "/nowhere/config.json", dataFolder: "/nowhere" },
    isTrusted: false,
    instructions: [],
    ...changes,
  };
}
