/** What a host runs sessions with: behaviour by name, and nothing that lasts. */
import type { RunTurnInput, ToolDispatchPolicy } from "@capstan/kernel";

export interface Agent extends Pick<
  RunTurnInput,
  | "provider"
  | "tools"
  | "providerOpts"
  | "cwd"
  | "logger"
  | "random"
  | "transformContext"
  | "convertToLlm"
  | "stopWhen"
  | "checkLimits"
  | "maxSteps"
  | "closing"
  | "retry"
  | "deadlines"
  | "recover"
> {
  /** Sessions name their agent by it, so it stays the same across deployments. */
  readonly name: string;
  /** The system prompt. */
  readonly instructions?: string;
  readonly dispatch?: ToolDispatchPolicy;
}
