/** Why a dependency cannot be had. */
import { CapstanError } from "@capstan/kernel";

export type DependencyErrorCode =
  /** It needs itself, over the named way. */
  | "cycle"
  /** One that is kept for the session asked for one that ends with the turn. */
  | "outlived"
  /** The scope has ended. */
  | "disposed"
  /** The tool was given to the kernel without a scope. */
  | "unbound";

export class DependencyError extends CapstanError<DependencyErrorCode> {
  override readonly name = "DependencyError";
  readonly dependencyName: string;

  constructor(
    code: DependencyErrorCode,
    dependencyName: string,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(code, message, options);
    this.dependencyName = dependencyName;
  }
}
