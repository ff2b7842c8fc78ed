/** One thing that was looked at: how it is, and what to do about it. */
export interface Check {
  readonly name: string;
  /** `warn`: it works, and could work better. `fail`: something does not work. */
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  readonly advice?: string;
}
