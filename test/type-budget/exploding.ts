/** The fault that the budget is for: a type with a property for each pair of a word and a field, and nothing else that is new. */
import type { ToolContract } from "@capstan/kernel";
import { describe } from "./agent.ts";

type Letter = "a" | "b" | "c" | "d";
type Word = `${Letter}${Letter}${Letter}${Letter}`;
type Exploded = {
  [Key in keyof ToolContract as `${Word}_${Key}`]: ToolContract[Key];
};

export const key = (exploded: keyof Exploded): string => `${exploded} ${describe.name}`;
