/** The smallest picture that every provider takes: one pixel. */
import type { ImagePart } from "@capstan/kernel";

export const tinyImage: ImagePart = {
  type: "image",
  mediaType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
};
