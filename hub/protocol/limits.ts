// Numbers that clients need at run time stand apart from the schemas, so that zod stays out of their bundle.

/** Raised when a client of the older number could no longer talk to a hub of the newer. */
export const PROTOCOL = 1;
/** The most bytes one frame may have, either way. */
export const FRAME_BYTES_MAX = 32 * 1024 * 1024;
/** The most calls one batch may have. */
export const BATCH_MAX = 100;
/** The deepest nesting of a frame's JSON. */
export const JSON_DEPTH_MAX = 100;
/** The most lists and objects in one frame: nobody else is served while they are read, 32 MiB of them for seconds. */
export const JSON_CONTAINERS_MAX = 100_000;
/** The most commas in one frame, outside its texts. */
export const JSON_COMMAS_MAX = 100_000;
/** The most text one node may hold, in bytes of UTF-8; larger data belongs in a stored output. */
export const NODE_BYTES_MAX = 8 * 1024 * 1024;
/** The most blocks one node may hold. */
export const BLOCKS_MAX = 1_000;
/** The most calls one step may hold. */
export const STEP_CALLS_MAX = 200;
/** The longest answer of a person to a question of a model. */
export const ANSWER_LENGTH_MAX = 1_048_576;

/** The longest list of certificates of authorities, in PEM. */
export const AUTHORITIES_LENGTH_MAX = 1_048_576;

/** What the copy is called that a branch of a person works in, until they have taken what it has made. */
export const OWN_COPY = 'own';
export const TAKEN_COPY = 'own, taken';

/** Keys of what a program says of a node for itself. */
export const META_KEYS_MAX = 20;

/** The latest time that a decision about a shared tree may carry: that of JavaScript's dates. */
export const DECIDED_AT_MS_MAX = 8_640_000_000_000_000;
