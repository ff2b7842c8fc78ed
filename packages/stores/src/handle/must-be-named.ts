/** Store paths often come from a variable that is not set. */
import { RepositoryError } from "@capstan/log";

/** Fails with `unavailable`: sessions would otherwise end up in the working folder, or vanish with the process. */
export function mustBeNamed(path: unknown, store: string, kind: "file" | "folder"): void {
  if (typeof path === "string" && path !== "") return;
  const found = path === "" ? "an empty string" : typeof path;
  const message = `A session store needs the path of a ${kind}, but got ${found}: use ${store}("…")`;
  throw new RepositoryError("unavailable", "", message);
}
