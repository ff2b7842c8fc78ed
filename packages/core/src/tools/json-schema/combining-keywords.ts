/** Keywords that combine schemas: allOf, anyOf, oneOf, not, if. */
import type { InputIssue, JsonValue } from "@capstan/kernel";
import type { Check, Findings } from "./check.ts";
import type { Keywords } from "./keywords.ts";

export function combiningChecks(keywords: Keywords): Check[] {
  const checks: Check[] = [...(keywords.checks("allOf") ?? [])];
  const anyOf = keywords.checks("anyOf");
  if (anyOf !== undefined) checks.push(anyOfCheck(anyOf));
  const oneOf = keywords.checks("oneOf");
  if (oneOf !== undefined) checks.push(oneOfCheck(oneOf));
  const not = keywords.check("not");
  if (not !== undefined) checks.push(notCheck(not));
  const condition = keywords.check("if");
  if (condition !== undefined) {
    checks.push(ifCheck(condition, keywords.check("then"), keywords.check("else")));
  }
  return checks;
}

function anyOfCheck(alternatives: readonly Check[]): Check {
  return (value, findings) => {
    const failures: (readonly InputIssue[])[] = [];
    for (const alternative of alternatives) {
      const issues = findings.apart(alternative, value);
      if (issues.length === 0) return;
      failures.push(issues);
    }
    fitsNone(failures, findings);
  };
}

function oneOfCheck(alternatives: readonly Check[]): Check {
  return (value, findings) => {
    const outcomes = alternatives.map((alternative) => findings.apart(alternative, value));
    const fitting = outcomes.filter((issues) => issues.length === 0).length;
    if (fitting === 0) fitsNone(outcomes, findings);
    if (fitting > 1) findings.add(`matches ${fitting} alternatives, must match exactly one`);
  };
}

/** Lists the issues of every alternative, because the model may have meant any of them. */
function fitsNone(failures: readonly (readonly InputIssue[])[], findings: Findings): void {
  const [only] = failures;
  if (failures.length === 1 && only !== undefined) {
    findings.issues.push(...only);
    return;
  }
  const reasons = failures.map((issues) => issues.map(describe).join(", "));
  findings.add(`matches no alternative: ${[...new Set(reasons)].join("; or ")}`);
}

function describe({ message, path = [] }: InputIssue): string {
  const at = path.map(String).join(".");
  return at === "" ? message : `${at} ${message}`;
}

function notCheck(inner: Check): Check {
  return (value, findings) => {
    if (findings.apart(inner, value).length === 0) findings.add("has an excluded value");
  };
}

function ifCheck(condition: Check, then: Check | undefined, otherwise: Check | undefined): Check {
  return (value: JsonValue, findings) => {
    const branch = findings.apart(condition, value).length === 0 ? then : otherwise;
    branch?.(value, findings);
  };
}
