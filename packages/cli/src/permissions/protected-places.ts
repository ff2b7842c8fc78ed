/** Files that run code without a further question: those of git, shells, editors, package managers and of this command. */

/** Folders at any depth, with everything in them. */
const folders = [
  ...[
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".capstan",
    ".vscode",
    ".idea",
    ".zed",
    ".fleet",
    ".devcontainer",
  ],
  ...[".husky", ".githooks", ".yarn", ".cargo", ".direnv", ".ssh", ".gnupg", ".claude", ".cursor"],
];
/** Files at any depth. */
const files = [
  ...["capstan.json", ".mcp.json", ".gitconfig", ".gitmodules", ".pre-commit-config.yaml"],
  ...["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".pnpmfile.cjs", ".yarnrc", ".yarnrc.yml"],
  ...[
    ".npmrc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
  ],
  ...[
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
  ],
  ...[".inputrc", ".envrc", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".emacs", ".dir-locals.el"],
  ...[
    ".tmux.conf",
    ".screenrc",
    ".curlrc",
    ".wgetrc",
    ".netrc",
    ".pypirc",
    ".pythonrc",
    ".gdbinit",
  ],
  ...[
    ".lldbinit",
    ".rprofile",
    ".irbrc",
    ".pryrc",
    ".ripgreprc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
  ],
];
const names = new Set([...folders, ...files]);
/** Folders of the user's settings, wherever the home folder is. */
const settings =
  /(?:^|\/)\.(?:config\/(?:capstan|git|fish|nvim|zsh|bash|npm|pip|systemd|autostart)|local\/share\/capstan|local\/bin|local\/share\/bash-completion)(?:\/|$)/;

/** Paths that are protected in a folder, for a sandbox: the same as above, but for upper and lower case. */
export const protectedPaths: readonly string[] = [
  ...names,
  ...["capstan", "git", "fish", "nvim", "zsh", "bash", "npm", "pip", "systemd", "autostart"].map(
    (name) => `.config/${name}`,
  ),
  ...[".local/share/capstan", ".local/bin", ".local/share/bash-completion"],
];

/** `path` has `/` as its separator, and is relative or absolute. Upper and lower case are the same, as in some file systems. */
export function isProtected(path: string): boolean {
  const folded = path.normalize("NFC").toLowerCase();
  // Windows drops dots and spaces at the end of a name.
  const parts = folded.split("/").map((part) => part.replace(/(?<=[^. ])[. ]+$/, ""));
  return parts.some((part) => names.has(part)) || settings.test(folded);
}

/** True if a word may name such a file; `*` is a part of it that only the shell knows. */
export function mayBeProtected(word: string): boolean {
  return isProtected(word) || word.split("/").some((part) => /^\.(?!\.?$)[^*]*\*|^\.\*/.test(part));
}
