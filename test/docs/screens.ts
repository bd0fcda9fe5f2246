import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderCosts } from '../../cli/render/reports/cost_table.js';
import { lookAt } from '../support/look.js';
import { NOTHING } from '../support/spending.js';
import { CHROMIUM } from '../support/web/browser.js';
import { pagePicture } from './page_picture.js';
import { sessionPicture } from './picture.js';

/** Something that the documents show and that is made from the program: `npm run docs` writes it. */
export interface Screen {
  name: string;
  /** False where what makes it is not installed. */
  isMade: boolean;
  /** What of it must agree, as the documents have it. */
  shown(): string[];
  /** The same as it is now, and what writes that. */
  make(): Promise<{ words: string[]; write(): void }>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

export const SCREENS: readonly Screen[] = [
  {
    name: 'docs/session.svg',
    isMade: true,
    shown: () => textsIn(read('docs/session.svg')),
    async make() {
      const svg = await sessionPicture();
      return { words: textsIn(svg), write: () => writeFileSync(join(root, 'docs/session.svg'), svg) };
    },
  },
  {
    name: 'the costs in docs/guide/models.md',
    isMade: true,
    shown: () => costBlock().split('\n'),
    async make() {
      const table = sampleCosts();
      const write = (): void =>
        writeFileSync(
          join(root, MODELS),
          read(MODELS).replace(costBlock(), () => table),
        );
      return { words: table.split('\n'), write };
    },
  },
  pageScreen('read'),
  pageScreen('map'),
];

const MODELS = 'docs/guide/models.md';
/** The block of text whose first line is the head of the table. */
const COSTS = /(?<=^```text\n)( +requests .*\n)(.+\n)*?(?=```$)/m;

function costBlock(): string {
  return COSTS.exec(read(MODELS))?.[0] ?? '';
}

function sampleCosts(): string {
  const sum = (requests: number, tokens: readonly [number, number, number, number], price_microdollars: number) => {
    const [tokens_in, tokens_out, tokens_cache_read, tokens_cache_write_5m] = tokens;
    return {
      ...NOTHING,
      requests,
      tokens_in,
      tokens_out,
      tokens_cache_read,
      tokens_cache_write_5m,
      price_microdollars,
    };
  };
  const all = sum(12, [1_234, 567, 120_000, 8_500], 123_400);
  const lines = [
    { label: 'this conversation', cost: all },
    { label: 'up to 5e6f7a8b', cost: sum(9, [1_034, 467, 90_000, 6_500], 93_400) },
    { label: '  new below abcdef01', cost: sum(1, [34, 7, 10_000, 0], 3_400) },
    { label: '  before that', cost: sum(8, [1_000, 460, 80_000, 6_500], 90_000) },
  ];
  return renderCosts({ lines, total: all }, lookAt(80));
}

/** A picture of the page; its words lie beside it, for its pixels differ from machine to machine. */
function pageScreen(view: 'read' | 'map'): Screen {
  const [png, words] = [`docs/pictures/page-${view}.png`, `docs/pictures/page-${view}.txt`];
  return {
    name: png,
    isMade: CHROMIUM !== null,
    shown: () =>
      existsSync(join(root, png)) && existsSync(join(root, words)) ? read(words).trimEnd().split('\n') : [],
    async make() {
      const picture = await pagePicture(view);
      const write = (): void => {
        writeFileSync(join(root, png), picture.png);
        writeFileSync(join(root, words), `${picture.words.join('\n')}\n`);
      };
      return { words: picture.words, write };
    },
  };
}

/** Longer texts are cut where an age leaves no more room. */
const TOLD_LENGTH = 20;

/** The beginning of each text in a picture, without ages, which depend on how busy the machine is. */
function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)]
    .map(([, text = '']) => text.trim().replace(/ *\b(?:just now|\d+ min ago)$/, ''))
    .filter((text) => text !== '')
    .map((text) => text.slice(0, TOLD_LENGTH));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
