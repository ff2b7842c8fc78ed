/** A thread that opens each of the given files at the same moment as its siblings, and fails if one of them could not be opened. */
import { workerData } from "node:worker_threads";
import { sqlite } from "@capstan/stores/sqlite";

const { paths, count, arrived } = workerData as {
  readonly paths: readonly string[];
  readonly count: number;
  readonly arrived: Int32Array;
};

const failures: string[] = [];
for (const [round, path] of paths.entries()) {
  Atomics.add(arrived, round, 1);
  // Awake, so that all of them go on at once.
  while (Atomics.load(arrived, round) < count);
  try {
    await sqlite(path).close();
  } catch (thrown) {
    failures.push(String(thrown));
  }
}
if (failures.length > 0) throw new Error(failures.join("\n"));
