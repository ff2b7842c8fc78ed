/** The list of benches, in the order in which they run. */
import type { Bench } from "./bench.ts";
import { b1 } from "./benches/b1.ts";
import { b2 } from "./benches/b2.ts";
import { b3 } from "./benches/b3.ts";
import { b4 } from "./benches/b4.ts";
import { b5 } from "./benches/b5.ts";
import { b6 } from "./benches/b6.ts";
import { b7 } from "./benches/b7.ts";
import { b8 } from "./benches/b8.ts";
import { b9 } from "./benches/b9.ts";
import { b10 } from "./benches/b10.ts";
import { b11 } from "./benches/b11.ts";
import { b12 } from "./benches/b12.ts";
import { b13 } from "./benches/b13.ts";

export const benches: readonly Bench[] = [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13];

export function findBench(name: string): Bench | undefined {
  return benches.find((bench) => bench.name === name);
}
