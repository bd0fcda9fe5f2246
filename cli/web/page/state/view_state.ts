import { signal } from '@preact/signals';
import { NONE } from '../core/node_table.js';

export type PageView = 'read' | 'compare' | 'map' | 'cost';
export type PagePart = 'tree' | 'read' | 'running' | 'search';

/** What of the tree is looked at, and how. */
export const view = signal<PageView>('read');
/** The part that a phone shows. */
export const part = signal<PagePart>('read');
export const help = signal(false);
export const query = signal('');
/** The ends of the two branches that are compared. */
export const compareA = signal(NONE);
export const compareB = signal(NONE);

/** The row of the outline that the keys move. */
export const cursor = signal(0);
/** The first and last row that the outline shows. */
export const shownRows = signal({ from: 0, to: 0 });
/** A node to scroll to; each target is a new object. */
export const scrollTarget = signal({ node: NONE });

/** On paper and without script everything is written out. */
export const paper = signal(false);
/** As many nodes of a branch are printed. */
export const PAPER_NODES = 4_000;
export const nowMs = signal(Date.now());
/** What a person should know about the last thing done, such as why it failed. */
export const notice = signal<string | null>(null);
