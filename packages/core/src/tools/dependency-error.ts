/** Why a dependency cannot be had. */

export type DependencyErrorCode =
  /** It needs itself, over the named way. */
  | "cycle"
  /** One that is kept for the session asked for one that ends with the turn. */
  | "outlived"
  /** The scope has ended. */
  | "disposed"
  /** The tool was given to the kernel without a scope. */
  | "unbound";

export class DependencyError extends Error {
  override readonly name = "DependencyError";
  readonly code: DependencyErrorCode;
  readonly dependencyName: string;

  constructor(code: DependencyErrorCode, dependencyName: string, message: string) {
    super(message);
    this.code = code;
    this.dependencyName = dependencyName;
  }
}
