import { createAgent, wire } from "../floor.mjs";
import type { Subject } from "../subject.ts";

export const subject: Subject = { name: "floor", goals: {}, createAgent, wire };
