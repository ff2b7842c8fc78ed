/** Same as in package.json, which a test checks: reading it there would take longer than everything else `--version` does. */
export const version = "0.1.0";
