import { createAgent } from "../floor-gen.mjs";
import type { Subject } from "../subject.ts";

export const subject: Subject = { name: "floor-gen", goals: {}, createAgent };
