/** Smallest image that every provider accepts: one pixel. */
import type { ImagePart } from "@capstan/kernel";

/** A valid image of one pixel. */
export const tinyImage: Extract<ImagePart, { readonly data: string }> = {
  type: "image",
  mediaType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
};
