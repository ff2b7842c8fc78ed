/** What the keywords of a schema become: functions that look at a value and note what is wrong with it. */
import type { InputIssue, JsonValue } from "@capstan/kernel";

export type Check = (value: JsonValue, findings: Findings) => void;

/** What has been found so far, and the place in the value that is looked at. */
export class Findings {
  readonly issues: InputIssue[] = [];
  readonly #path: PropertyKey[];

  constructor(path: readonly PropertyKey[] = []) {
    this.#path = [...path];
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
    const findings = new Findings(this.#path);
    check(value, findings);
    return findings.issues;
  }
}
