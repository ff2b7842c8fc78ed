/** Files that the tools which search do not show, because a rule denies to read them. */
import type { Permissions } from "../config/settings.ts";
import { fitsPath, placesOf } from "./path-pattern.ts";

/** `path` is absolute. */
export function hidesFile(path: string, cwd: string, { deny }: Permissions): boolean {
  const rules = deny.filter(
    ({ toolName, pattern }) => toolName === "read" && pattern !== undefined,
  );
  if (rules.length === 0) return false;
  const places = placesOf(path, cwd);
  return rules.some(
    ({ pattern }) => pattern?.type === "path" && fitsPath(pattern, places) !== "no",
  );
}
