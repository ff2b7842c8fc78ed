/** Result of one check, and advice on how to fix it. */
export interface Check {
  readonly name: string;
  /** `warn`: works, but could work better. `fail`: something does not work. */
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  readonly advice?: string;
}
