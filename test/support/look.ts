import { ASCII, type Look, UNICODE } from '../../cli/render/look/look.js';
import { plainStyle, type Style } from '../../cli/render/look/style.js';
import { wideRuler } from '../../cli/render/look/wide_ruler.js';

/** The reference time for ages. */
export const NOW_MS = Date.UTC(2026, 10, 18, 12);

/** The look of tests: without colour, with the width of the test. */
export function lookAt(width: number, glyphs: 'unicode' | 'ascii' = 'unicode'): Look {
  return {
    width,
    style: plainStyle,
    glyphs: glyphs === 'unicode' ? UNICODE : ASCII,
    ruler: wideRuler,
    nowMs: NOW_MS,
  };
}

/** Makes visible what a style is applied to: `<user:…>`. */
export const namedStyle: Style = {
  user: (text) => named('user', text),
  assistant: (text) => named('assistant', text),
  tool: (text) => named('tool', text),
  quiet: (text) => named('quiet', text),
  here: (text) => named('here', text),
  strong: (text) => named('strong', text),
  match: (text) => named('match', text),
  good: (text) => named('good', text),
  warning: (text) => named('warning', text),
  failure: (text) => named('failure', text),
};

function named(name: string, text: string): string {
  return text === '' ? '' : `<${name}:${text}>`;
}
