// The default theme with its own font, which is part of the site: no request leaves it.
import theme from "vitepress/theme";
import "./style.css";

// oxlint-disable-next-line import/no-default-export -- VitePress reads it.
export default theme;
