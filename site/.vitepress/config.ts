import { defineConfig } from "vitepress";
import { readPages } from "../../scripts/site/content.ts";
import { repository } from "../../scripts/site/links.ts";
import { sidebarOf } from "../../scripts/site/sidebar.ts";

const pages = readPages();

// oxlint-disable-next-line import/no-default-export -- VitePress reads it.
export default defineConfig({
  srcDir: "content",
  title: "Capstan",
  description:
    "A TypeScript runtime for LLM agents whose conversations survive crashes, deployments and long waits",
  lang: "en",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }]],
  lastUpdated: false,
  // Anchors as GitHub makes them, so that one link works in both places.
  markdown: {
    anchor: { slugify: githubAnchor },
    // Comments of github-dark are too dim on the background of a block.
    theme: { light: "github-light", dark: "github-dark-dimmed" },
  },
  themeConfig: {
    logo: "/logo.svg",
    search: {
      provider: "local",
      options: { detailedView: true, miniSearch: { searchOptions: { boostDocument } } },
    },
    nav: [
      { text: "Start", link: "/start/" },
      { text: "Guides", link: "/guide/" },
      { text: "Cookbook", link: "/cookbook/" },
      { text: "Reference", link: "/reference/" },
      { text: "llms.txt", link: "/llms.txt", target: "_blank" },
    ],
    sidebar: sidebarOf(pages),
    outline: { level: [2, 3] },
    socialLinks: [{ icon: "github", link: repository }],
    footer: { message: "MIT license" },
  },
});

function githubAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** Whoever searches for a word wants the page that explains it before the list of types and the records. */
function boostDocument(id: string): number {
  return /\/(?:reference|decisions)\//.test(id) ? 0.4 : 1;
}
