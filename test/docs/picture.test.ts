import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sessionPicture } from './picture.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Longer texts are cut where an age leaves no more room. */
const TOLD_LENGTH = 20;

/** The beginning of each text in a picture, without ages, which depend on how busy the machine is. */
function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)]
    .map(([, text = '']) => text.trim().replace(/ *\b(?:just now|\d+ min ago)$/, ''))
    .filter((text) => text !== '')
    .map((text) => text.slice(0, TOLD_LENGTH));
}

test('docs/session.svg is what `npm run docs` draws of a real session', async () => {
  expect(textsIn(await sessionPicture())).toEqual(textsIn(readFileSync(join(root, 'docs/session.svg'), 'utf8')));
});
