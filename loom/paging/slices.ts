/** The most rows that are read without their blocks between two looks at the clock. */
export const SLICE_ROWS = 500;
/** The most whole nodes that are read between two looks at the clock. */
export const SLICE_NODES = 200;
/** About how much JSON one page may have, whatever its limit in rows; one row is always sent. */
export const PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** A piece of work that yields between slices, holding no cursor and no transaction while it rests. */
export type Slices<T> = Generator<void, T>;
