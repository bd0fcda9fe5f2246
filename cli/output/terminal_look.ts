import { environment, type Preferences } from '../../hub/config/config.js';
import { rulerFor } from '../render/look/choose_ruler.js';
import { ASCII, type Look, UNICODE } from '../render/look/look.js';
import { styleFor } from '../render/look/style.js';

/** The terminal, file or pipe that output goes to. */
export interface Screen {
  isTty: boolean;
  columns: number;
  rows: number;
}

const COLUMNS_MIN = 8;
const COLUMNS_UNKNOWN = 80;

/** The width for lines: of the terminal, else COLUMNS, else unlimited. */
export function columnsOf(screen: { isTty: boolean; columns: number | undefined }): number {
  const fromEnvironment = Math.floor(Number(environment('COLUMNS'))) || undefined;
  // A terminal of unknown size reports 0.
  const columns = screen.isTty
    ? screen.columns || fromEnvironment || COLUMNS_UNKNOWN
    : (fromEnvironment ?? Number.POSITIVE_INFINITY);
  return Math.max(COLUMNS_MIN, columns);
}

/** How renderers draw on this screen; the texts decide whether measuring needs all of Unicode. */
export async function lookFor(screen: Screen, preferences: Preferences, texts: Iterable<string>): Promise<Look> {
  return {
    width: screen.columns,
    style: await styleFor(isColored(screen, preferences)),
    glyphs: isAscii(preferences) ? ASCII : UNICODE,
    ruler: await rulerFor(texts),
    nowMs: Date.now(),
  };
}

/** Decided by --color, then COGNITION_COLOR, NO_COLOR, FORCE_COLOR, the preference, and at last by whether it is a terminal. */
function isColored(screen: Screen, preferences: Preferences): boolean {
  const preferred = preferences.all.find(({ preference }) => preference.key === 'color');
  const value = preferred?.value ?? 'auto';
  const isExplicit = preferred?.origin === 'flag' || preferred?.origin === 'environment';
  if (isExplicit && value !== 'auto') return value === 'always';
  if (preferred?.origin !== 'flag') {
    if (environment('NO_COLOR') !== undefined) return false;
    const forced = environment('FORCE_COLOR') ?? environment('CLICOLOR_FORCE');
    if (forced !== undefined) return forced !== '0' && forced !== 'false';
    if (value !== 'auto') return value === 'always';
  }
  return screen.isTty && environment('TERM') !== 'dumb';
}

/** Whether to draw in ASCII: by preference, or because the locale names another character set than UTF-8. */
function isAscii(preferences: Preferences): boolean {
  if (preferences.get('ascii') === 'true') return true;
  return !isUnicodeLocale();
}

/** Without any locale, as in containers and services, UTF-8 is assumed. */
export function isUnicodeLocale(): boolean {
  const locale = environment('LC_ALL') ?? environment('LC_CTYPE') ?? environment('LANG');
  return locale === undefined || /utf-?8/i.test(locale);
}
