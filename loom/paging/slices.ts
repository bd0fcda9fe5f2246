/** The most rows, without their blocks, that one slice reads. */
export const SLICE_ROWS = 200;
/** The most whole nodes that one slice reads. */
export const SLICE_NODES = 200;
/** About how much JSON one slice of a page makes. */
export const SLICE_BYTES = 512 * 1024;
/** About how much JSON a page holds, whatever its limit in rows; it always has at least one row. */
export const PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Work that yields between slices; between them it holds no cursor and no transaction. */
export type Slices<T> = Generator<void, T>;
