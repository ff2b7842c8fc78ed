/** What a store is opened with often comes from a variable that nobody has set. */
import { RepositoryError } from "@capstan/log";

/** Fails with `unavailable`: sessions would go to the working folder, or be gone with the process. */
export function mustBeNamed(path: unknown, store: string, kind: "file" | "folder"): void {
  if (typeof path === "string" && path !== "") return;
  const found = path === "" ? "an empty text" : typeof path;
  const message = `A store of sessions needs the path of a ${kind}, and got ${found}: write ${store}("…")`;
  throw new RepositoryError("unavailable", "", message);
}
