/** Checks the versions of capstan and Node. */
import { version } from "../command-line/version.ts";
import type { Check } from "./check.ts";

/** Same as in package.json, which a test checks. */
export const neededNode = "22.18";

export function checkVersions(nodeVersion: string): readonly Check[] {
  const node: Check = isAtLeast(nodeVersion, neededNode)
    ? { name: "node", state: "ok", text: nodeVersion }
    : {
        name: "node",
        state: "fail",
        text: `${nodeVersion}, but ${neededNode} is required`,
        advice: `install Node ${neededNode} or newer`,
      };
  return [{ name: "capstan", state: "ok", text: version }, node];
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version);
  const [neededMajor = 0, neededMinor = 0] = numbersOf(needed);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

function numbersOf(version: string): readonly number[] {
  return version.replace(/^v/, "").split(".").map(Number);
}
