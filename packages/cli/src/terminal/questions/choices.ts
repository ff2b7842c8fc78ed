/** Answers that a user can give to a question. */
import type { RuleTarget } from "../../config/write-rule.ts";
import type { Asking } from "../../permissions/decision.ts";

export type Choice =
  | { readonly type: "once"; readonly label: string }
  | {
      readonly type: "always";
      readonly label: string;
      readonly rules: readonly string[];
      readonly target: RuleTarget;
    }
  | { readonly type: "no"; readonly label: string }
  | { readonly type: "reason"; readonly label: string };

export interface ChoiceContext {
  readonly sessionId: string;
  readonly projectFolder: string;
  readonly projectFile: string;
  readonly userFile: string;
}

/** A rule can be remembered in three layers; if no rule can allow the call, in none. */
export function choicesOf(asking: Asking, context: ChoiceContext): readonly Choice[] {
  const { sessionId, projectFolder, projectFile, userFile } = context;
  // A rule that asks overrides every rule that allows.
  const rules = asking.rule === undefined ? asking.allowWith : [];
  const layers: readonly (readonly [string, RuleTarget])[] = [
    ["in this session", { layer: "session", sessionId }],
    [`in this project (${projectFile})`, { layer: "project", projectFolder }],
    [`everywhere (${userFile})`, { layer: "user" }],
  ];
  return [
    { type: "once", label: "Yes, once" },
    ...(rules.length === 0 ? [] : layers).map(([where, target]): Choice => ({
      type: "always",
      label: `Yes, always ${where}`,
      rules,
      target,
    })),
    { type: "no", label: "No" },
    { type: "reason", label: "No, and tell the model why" },
  ];
}
