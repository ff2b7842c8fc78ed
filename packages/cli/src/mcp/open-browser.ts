/** Opens a page in the user's browser. */
import { spawn } from "node:child_process";
import type { Env } from "../config/env.ts";

/** Why a browser on this machine would not be the user's; undefined if it is. */
export function whyNoBrowser(env: Env, platform: NodeJS.Platform): string | undefined {
  if (env["BROWSER"]) return undefined;
  if (env["SSH_CONNECTION"] || env["SSH_TTY"]) return "this is a session over SSH";
  const hasScreen = env["DISPLAY"] || env["WAYLAND_DISPLAY"] || platform !== "linux";
  return hasScreen ? undefined : "this machine has no display";
}

/** Resolves with what went wrong, or with undefined once the browser has been started. The address is never read by a shell. */
export function openBrowser(
  url: string,
  env: Env,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const [program, ...args] = commandFor(env, platform);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore", env });
  child.once("error", ({ message }) => resolve(`${program} cannot be started: ${message}`));
  child.once("spawn", () => resolve(undefined));
  child.unref();
  return promise;
}

function commandFor(env: Env, platform: NodeJS.Platform): readonly [string, ...string[]] {
  const { BROWSER } = env;
  if (BROWSER) return [BROWSER];
  if (platform === "darwin") return ["open"];
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
