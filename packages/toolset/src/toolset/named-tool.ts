/** A tool whose name is part of its type, so that the events of an agent know it. */
import type { AnyTool } from "@capstan/core";

/** A tool whose name its type knows. */
export interface NamedTool<out Name extends string> extends AnyTool {
  readonly name: Name;
}
