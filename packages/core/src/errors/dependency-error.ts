/** Errors of dependencies that are not available. */
import { CapstanError } from "@capstan/kernel";

/** Codes of a `DependencyError`. */
export type DependencyErrorCode =
  /** It depends on itself, along the named path. */
  | "cycle"
  /** A dependency of the session asked for one that ends with the turn. */
  | "outlived"
  /** The scope has ended. */
  | "disposed"
  /** The tool was passed to the kernel without a scope. */
  | "unbound";

/** Failure to provide a dependency. What its `create` threw is not wrapped in it. */
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
