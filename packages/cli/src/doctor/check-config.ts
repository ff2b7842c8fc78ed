/** Which files the settings come from, and whether those of the project hold. */
import type { ConfigFile, LoadedConfig } from "../config/load-config.ts";
import type { Check } from "./check.ts";

export function checkConfig(config: LoadedConfig): readonly Check[] {
  const { files, instructions } = config;
  return [
    ...files.map((file) => checkFile(file, config)),
    {
      name: "instructions",
      state: "ok",
      text: instructions.map(({ path }) => path).join(", ") || "no AGENTS.md",
    },
  ];
}

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
      return { name, state: "ok", text: `none: there is no ${path}` };
    case "partly":
      return {
        name,
        state: "warn",
        text: `${path} is not trusted: what could run code, allow it or redirect keys does nothing`,
        advice: `read it, then run \`capstan --trust\` with a prompt in ${projectFolder}`,
      };
    default:
      return state satisfies never;
  }
}
