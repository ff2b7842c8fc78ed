/** Checks how commands of `bash` run: in which sandbox, and with which variables. */
import { checkSandbox, withheldNames } from "@capstan/toolset";
import type { Env } from "../config/env.ts";
import { keyVariablesOf } from "../config/key-variables.ts";
import type { Settings } from "../config/settings.ts";
import type { Check } from "./check.ts";

export async function checkCommands(settings: Settings, env: Env): Promise<readonly Check[]> {
  return [await checkTheSandbox(settings), checkEnvironment(settings, env)];
}

async function checkTheSandbox({ tools }: Settings): Promise<Check> {
  const { sandbox = "off", network } = tools.bash;
  const name = "sandbox";
  if (sandbox === "off") {
    const problem = await checkSandbox({ mode: "strict" });
    return {
      name,
      state: "ok",
      text:
        problem === undefined
          ? "off, so commands run with all your rights; it works here: set tools.bash.sandbox to write or strict"
          : `off, so commands run with all your rights; it would not work here: ${problem}`,
    };
  }
  const problem = await checkSandbox({ mode: sandbox, ...(network !== undefined && { network }) });
  if (problem === undefined) return { name, state: "ok", text: `${sandbox}, and it works here` };
  const advice =
    "until then no command of bash runs; to run them without a sandbox, set tools.bash.sandbox to off";
  return { name, state: "fail", text: `${sandbox}, but it does not work here: ${problem}`, advice };
}

function checkEnvironment(settings: Settings, env: Env): Check {
  const { passEnv } = settings.tools.bash;
  const withheld = withheldNames(env, { passEnv, withholdEnv: keyVariablesOf(settings) });
  const passed = (passEnv ?? []).filter((name) => env[name] !== undefined);
  const all =
    withheld.length === 0
      ? "all variables are passed to commands"
      : `not passed to commands: ${withheld.join(", ")}`;
  const also = passed.length === 0 ? "" : `; passed by tools.bash.passEnv: ${passed.join(", ")}`;
  return { name: "environment", state: "ok", text: `${all}${also}` };
}
