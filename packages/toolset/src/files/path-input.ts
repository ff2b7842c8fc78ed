/** Input schemas for paths, the same in every tool. */
import { z } from "zod";

/** No file system accepts more than 4,096 characters. */
const path = z.string().min(1).max(4096);

export function filePath(what: string): z.ZodString {
  return path.describe(`${what}, relative to the working folder.`);
}

export function folderPath(what: string): z.ZodDefault<z.ZodString> {
  return path.default(".").describe(`${what}, relative to the working folder.`);
}
