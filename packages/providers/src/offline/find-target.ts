/** Finds the file or folder that a prompt names, judging by the look of its words. */

export interface Target {
  readonly file?: string;
  readonly folder?: string;
}

/** Returns the first word that looks like a file, else the first that looks like a folder path. May be wrong. */
export function findTarget(prompt: string): Target {
  const words = prompt
    .split(/\s+/)
    .map((word) => word.replace(/^[("'`<[]+|[)"'`>\],;:!?.]+$/g, ""))
    .filter((word) => word !== "" && !/^[a-z][a-z0-9+.-]*:\/\//i.test(word));
  const file = words.find(isLikeFile);
  if (file !== undefined) return { file };
  const folder = words.find((word) => word.includes("/") && !word.includes("//") && word !== "/");
  return folder === undefined ? {} : { folder };
}

function isLikeFile(word: string): boolean {
  const name = word.slice(word.lastIndexOf("/") + 1);
  if (/^(e\.g|i\.e)$/i.test(name)) return false;
  return (
    /.\.[a-z][a-z0-9]{0,7}$/i.test(name) ||
    /^(Makefile|Dockerfile|LICENSE|\.[a-z][\w-]+)$/.test(name)
  );
}
