/** Colours by their role. */

export type Role =
  | "accent"
  | "user"
  | "dim"
  | "error"
  | "success"
  | "warning"
  | "heading"
  | "code"
  | "link"
  | "added"
  | "removed"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "title"
  | "strong"
  | "italic"
  | "underline"
  | "struck"
  | "selected";

/** Paints text in the colour of a role. */
export type Theme = Readonly<Record<Role, (text: string) => string>>;

export type ThemeName = "dark" | "light" | "plain";

type Codes = readonly [on: string, off: string];

const styles = {
  dim: ["2", "22"],
  strong: ["1", "22"],
  italic: ["3", "23"],
  underline: ["4", "24"],
  struck: ["9", "29"],
  heading: ["1", "22"],
  selected: ["7", "27"],
} as const satisfies Partial<Record<Role, Codes>>;

const colours: Readonly<
  Record<Exclude<Role, keyof typeof styles>, Readonly<Record<"dark" | "light", string>>>
> = {
  accent: { dark: "96", light: "34" },
  user: { dark: "97", light: "30" },
  error: { dark: "91", light: "31" },
  success: { dark: "92", light: "32" },
  warning: { dark: "93", light: "33" },
  code: { dark: "96", light: "36" },
  link: { dark: "94", light: "34" },
  added: { dark: "32", light: "32" },
  removed: { dark: "31", light: "31" },
  keyword: { dark: "95", light: "35" },
  string: { dark: "92", light: "32" },
  number: { dark: "93", light: "33" },
  comment: { dark: "90", light: "90" },
  title: { dark: "94", light: "34" },
};

/** `plain` has no colours, only bold, dim and the like. */
export function createTheme(name: ThemeName): Theme {
  const entries = [
    ...Object.entries(styles).map(([role, codes]) => [role, paint(codes)] as const),
    ...Object.entries(colours).map(
      ([role, own]) => [role, name === "plain" ? asIs : paint([own[name], "39"])] as const,
    ),
  ];
  // Both tables together have every role.
  return Object.fromEntries(entries) as Theme;
}

/** The theme for a background colour, with parts from 0 to 255. */
export function themeFor({
  r,
  g,
  b,
}: {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}): ThemeName {
  // Eyes take green for the brightest.
  return 0.299 * r + 0.587 * g + 0.114 * b > 127 ? "light" : "dark";
}

function paint([on, off]: Codes): (text: string) => string {
  return (text) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
}

function asIs(text: string): string {
  return text;
}
