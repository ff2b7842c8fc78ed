/** Checks which files the settings come from, and whether the project's file is trusted. */
import type { ConfigFile, LoadedConfig } from "../config/load-config.ts";
import type { Check } from "./check.ts";

export function checkConfig(config: LoadedConfig): readonly Check[] {
  const { files, instructions, problems = [] } = config;
  return [
    ...problems.map((text): Check => ({ name: "settings", state: "fail", text, advice: repair })),
    ...files.map((file) => checkFile(file, config)),
    {
      name: "instructions",
      state: "ok",
      text: instructions.map(({ path }) => path).join(", ") || "no AGENTS.md",
    },
  ];
}

const repair = "correct it: until then, only this command runs, with the default settings";

function checkFile(
  { path, role, state }: ConfigFile,
  { isTrusted, projectFolder }: LoadedConfig,
): Check {
  const name = `${role} settings`;
  switch (state) {
    case "read":
      return {
        name,
        state: "ok",
        text: role === "project" && isTrusted ? `${path}, trusted` : path,
      };
    case "absent":
      return { name, state: "ok", text: `none (${path} does not exist)` };
    case "partly":
      return {
        name,
        state: "warn",
        text: `${path} is not trusted: settings that could run code, cost money or send data elsewhere are ignored`,
        advice: `read it, then run \`capstan --trust\` with a prompt in ${projectFolder}`,
      };
    default:
      return state satisfies never;
  }
}
