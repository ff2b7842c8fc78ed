/** What the keywords of a schema become: functions that look at a value and note what is wrong with it. */
import type { InputIssue, JsonValue } from "@capstan/kernel";
import { SchemaProblem } from "./schema-problem.ts";

export type Check = (value: JsonValue, findings: Findings) => void;

/** How many references one check follows. Schemas that refer to others twice at every level ask for more than a life is long. */
const maxReferences = 100_000;

/** What has been found so far, and the place in the value that is looked at. */
export class Findings {
  readonly issues: InputIssue[] = [];
  readonly #path: PropertyKey[];
  /** Shared with those apart: the work is one. */
  readonly #effort: { references: number };

  constructor(path: readonly PropertyKey[] = [], effort = { references: 0 }) {
    this.#path = [...path];
    this.#effort = effort;
  }

  /** To be called for each reference that is followed. Throws when there were too many. */
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

  /** What a check would find here, apart from the rest. */
  apart(check: Check, value: JsonValue): readonly InputIssue[] {
    const findings = new Findings(this.#path, this.#effort);
    check(value, findings);
    return findings.issues;
  }
}
