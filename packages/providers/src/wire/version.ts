/** As in package.json, which a test makes sure of: it cannot be read in a browser. */
export const version = "0.1.0";
