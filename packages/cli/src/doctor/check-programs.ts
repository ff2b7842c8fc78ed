/** Checks programs that tools use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findRipgrep } from "@capstan/toolset";
import type { Env } from "../config/env.ts";
import type { Check } from "./check.ts";

const patienceMs = 2_000;

export function checkPrograms(env: Env): Promise<readonly Check[]> {
  return Promise.all([checkRipgrep(env), checkBash(env)]);
}

async function checkRipgrep(env: Env): Promise<Check> {
  const path = await findRipgrep();
  const version = path === undefined ? undefined : await firstLineOf(path, env);
  if (version !== undefined) return { name: "ripgrep", state: "ok", text: version };
  return {
    name: "ripgrep",
    state: "warn",
    text: "not available for this machine: grep is slower, and uses JavaScript regular expressions",
    advice: "reinstall capstan with its optional packages",
  };
}

async function checkBash(env: Env): Promise<Check> {
  const version = await firstLineOf("bash", env);
  if (version !== undefined) return { name: "bash", state: "ok", text: version };
  return {
    name: "bash",
    state: "warn",
    text: "not found on the path: commands run in sh",
    advice: "install bash",
  };
}

/** Returns the first line of `--version`; undefined if the program does not run. */
async function firstLineOf(program: string, env: Env): Promise<string | undefined> {
  const child = spawn(program, ["--version"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: patienceMs,
    windowsHide: true,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  try {
    const [exitCode] = await once(child, "close");
    return exitCode === 0 ? output.split("\n")[0] : undefined;
  } catch {
    // The program could not be started.
    return undefined;
  }
}
