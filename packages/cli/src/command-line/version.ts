/** As in package.json, which a test makes sure of: to read it there would take longer than all else that `--version` does. */
export const version = "0.1.0";
