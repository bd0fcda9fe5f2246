import type { ResultOf } from '../../hub/protocol/methods/method_table.js';

/** A folder in which one turn works. */
export type Copy = ResultOf<'loom.copy_list'>['copies'][number];
