/** Checks compiled from schema keywords: functions that examine a value and record the issues. */
import type { InputIssue, JsonValue } from "@capstan/kernel";
import { SchemaProblem } from "./schema-problem.ts";

export type Check = (value: JsonValue, findings: Findings) => void;

/** Number of references one check follows. Schemas with two references at every level would take forever. */
const maxReferences = 100_000;

/** The issues found so far, and the path of the value being checked. */
export class Findings {
  readonly issues: InputIssue[] = [];
  readonly #path: PropertyKey[];
  /** Shared with separate findings: the limit covers all the work. */
  readonly #effort: { references: number };

  constructor(path: readonly PropertyKey[] = [], effort = { references: 0 }) {
    this.#path = [...path];
    this.#effort = effort;
  }

  /** Must be called for each reference that is followed. Throws if there are too many. */
  follow(): void {
    this.#effort.references += 1;
    if (this.#effort.references <= maxReferences) return;
    throw new SchemaProblem("", `its schema follows more than ${maxReferences} references`);
  }

  add(message: string): void {
    this.issues.push({ message, path: [...this.#path] });
  }

  /** Checks a part of the value. */
  under(key: PropertyKey, check: Check, value: JsonValue): void {
    this.#path.push(key);
    check(value, this);
    this.#path.pop();
  }

  /** Returns the issues a check finds here, without recording them. */
  apart(check: Check, value: JsonValue): readonly InputIssue[] {
    const findings = new Findings(this.#path, this.#effort);
    check(value, findings);
    return findings.issues;
  }
}
