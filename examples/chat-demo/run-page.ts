/** Runs a page until the process is told to end. */
import { once } from "node:events";
import type { ServedPage } from "./serve-page.ts";

export async function runPage(page: ServedPage): Promise<void> {
  console.log(`The page is at ${page.url}`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await page.close();
}

/** Port of the environment variable `PORT`, or this one. */
export function portOr(fallback: number): number {
  return Number(process.env["PORT"] ?? fallback);
}
