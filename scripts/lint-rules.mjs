// Lint rules that oxlint has no built-in form of.

import { arrowsRule } from "./lint-arrows.ts";
import { plainEnglishRule } from "./lint-plain-english.ts";
import { silentCatchRule } from "./lint-silent-catch.ts";

const noUsing = {
  create(context) {
    return {
      VariableDeclaration(node) {
        if (node.kind !== "using" && node.kind !== "await using") return;
        context.report({
          node,
          message: "Node 22.18 does not parse `using`: write try and finally.",
        });
      },
    };
  },
};

const noExportAll = {
  create(context) {
    return {
      ExportAllDeclaration(node) {
        context.report({ node, message: "List what is exported, by name." });
      },
    };
  },
};

export default {
  meta: { name: "capstan" },
  rules: {
    "no-using": noUsing,
    "no-export-all": noExportAll,
    arrows: arrowsRule,
    "silent-catch": silentCatchRule,
    "plain-english": plainEnglishRule,
  },
};
