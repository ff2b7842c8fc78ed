/** Transactions in the write-ahead log of a SQLite file. */
import { readFileSync } from "node:fs";

/** Counts those since the last checkpoint that started the log again, which takes thousands of pages. */
export function countCommits(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) {
    // Frames with other salts are left over from an earlier log.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    // The last frame of a transaction has the size of the database, all others zero.
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
