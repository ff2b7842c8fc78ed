/** Same as in package.json, which a browser cannot read. A test compares them. */
export const version = "0.1.0";
