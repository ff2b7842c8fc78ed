/** The part of an untrusted project file that takes effect: nothing that could run code, allow it, choose or raise what is paid, or send data or keys elsewhere. */
import type { FileSettings } from "./schema.ts";

export interface UntrustedPart {
  readonly settings: FileSettings;
  /** Names of the ignored settings. */
  readonly leftOut: readonly string[];
}

/** Only rules that ask or deny take effect. */
export function untrustedPart({ permissions = {}, ...others }: FileSettings): UntrustedPart {
  const { allow, ...limits } = permissions;
  return {
    settings: { permissions: limits },
    leftOut: [
      ...(allow === undefined ? [] : ["permissions.allow"]),
      ...Object.keys(others).filter((key) => key !== "$schema"),
    ],
  };
}
