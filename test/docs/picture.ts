import type { InkRun } from '../support/terminal/emulator.js';
import { KEYS, withChat } from '../support/terminal.js';

const SIZE = { columns: 80, rows: 21 };
/** What is said, and the end of what is answered. */
const LINES = [
  ['write a program', 'to see a change.'],
  ['change the program', 'is changed, and says:'],
  ['/fork', 'Your next message is'],
  ['how many lines has hello-demo.sh?', 'hello-demo.sh says:'],
] as const;

/** A real session with the demo model as a picture: the end of a chat, and below it the navigator in its tree. */
export function sessionPicture(): Promise<string> {
  const env = { COGNITION_COLOR: 'always' };
  return withChat({ args: ['--model', 'demo'], size: SIZE, env }, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    for (const [line, end] of LINES) {
      terminal.type(line, KEYS.enter);
      await terminal.waitFor((screen) => screen.join('\n').includes(end) && !screen.join('').includes('Esc stops'));
    }
    terminal.type('/mark lines', KEYS.enter);
    await terminal.waitFor('as "lines".');
    const chat = terminal.runs();
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(KEYS.escape);
    // The text of the chosen node comes a moment later, and so does in how many paths each place differs.
    await terminal.waitFor(/(?:1 path differs.*){5}/s);
    await terminal.waitFor(/#lines.*^-{40}\nwc -l.*\? keys/ms);
    return svgOf([chat, terminal.runs()]);
  });
}

const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, &quot;DejaVu Sans Mono&quot;, monospace';
const COLOURS: Readonly<Record<string, string>> = {
  ...{ red: '#ff7b72', green: '#7ee787', yellow: '#e3b341', blue: '#79c0ff', magenta: '#d2a8ff', cyan: '#76e3ea' },
  ...{ black: '#6e7681', white: '#f0f6fc' },
};
const [PAPER, INK, RULING] = ['#0d1117', '#c9d1d9', '#30363d'];

function svgOf(screens: readonly InkRun[][][]): string {
  const { columns, rows } = SIZE;
  const [width, screenHeight] = [columns * CELL.width + 2 * MARGIN, rows * CELL.height + MARGIN];
  const height = screens.length * screenHeight + MARGIN;
  const shortIds = new Map<string, string>();
  const drawn = screens.map((screen, at) => {
    const top = MARGIN + at * screenHeight;
    const ruling = at === 0 ? '' : `<path d="M0 ${top - MARGIN / 2}H${width}" stroke="${RULING}"/>\n`;
    return ruling + screen.map((row, line) => rowOf(row, top + line * CELL.height, shortIds)).join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A conversation in a terminal, and the tree that it has become</title>
<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>
<g font-family="${FONT}" font-size="14" fill="${INK}" style="white-space:pre">
${drawn.join('')}</g>
</svg>
`;
}

function rowOf(row: readonly InkRun[], top: number, shortIds: Map<string, string>): string {
  let column = 0;
  return row
    .map(({ ink, text }) => {
      const x = MARGIN + column * CELL.width;
      column += text.length;
      return text.trim() === '' && !ink.includes('inverse')
        ? ''
        : runOf({ ink, text: settled(text, shortIds) }, x, top);
    })
    .join('');
}

function runOf({ ink, text }: InkRun, x: number, top: number): string {
  const width = (text.length * CELL.width).toFixed(1);
  const names = ink.split(' ');
  const isInverse = names.includes('inverse');
  const colour = COLOURS[names.find((name) => name in COLOURS) ?? ''] ?? INK;
  const paper = isInverse
    ? `<rect x="${x.toFixed(1)}" y="${top}" width="${width}" height="${CELL.height}" fill="${colour}"/>\n`
    : '';
  const style = [
    ` fill="${isInverse ? PAPER : colour}"`,
    names.includes('bold') ? ' font-weight="bold"' : '',
    names.includes('dim') ? ' opacity="0.6"' : '',
    names.includes('italic') ? ' font-style="italic"' : '',
  ].join('');
  // Spaces at the ends would not be drawn everywhere, and what is drawn would be stretched over them.
  const words = text.trim();
  const start = x + text.indexOf(words) * CELL.width;
  const length = (words.length * CELL.width).toFixed(1);
  const place = `x="${start.toFixed(1)}" y="${top + CELL.height - 5}" textLength="${length}"`;
  return words === '' ? paper : `${paper}<text ${place}${style}>${escaped(words)}</text>\n`;
}

/** What differs from run to run: ids are numbered. */
function settled(text: string, shortIds: Map<string, string>): string {
  return text
    .replace(/\b[0-9a-f]{8}\b/g, (id) => {
      const known = shortIds.get(id) ?? `${'5e3a1c7d9b24f680'.slice(shortIds.size % 8, (shortIds.size % 8) + 8)}`;
      shortIds.set(id, known);
      return known;
    })
    .replace(/\b\d+ min ago\b/g, (age) => 'just now'.padEnd(age.length));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
