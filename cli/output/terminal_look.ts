import { environment, type Preferences } from '../../hub/config/config.js';
import { rulerFor } from '../render/look/choose_ruler.js';
import { ASCII, type Look, UNICODE } from '../render/look/look.js';
import { styleFor } from '../render/look/style.js';

/** What is known of the place that output goes to. */
export interface Screen {
  isTty: boolean;
  columns: number;
  rows: number;
}

const COLUMNS_MIN = 8;
const COLUMNS_UNKNOWN = 80;

/** How wide lines may be: as the terminal, as COLUMNS says, or as long as they are when a program reads them. */
export function columnsOf(screen: { isTty: boolean; columns: number | undefined }): number {
  const stated = Math.floor(Number(environment('COLUMNS'))) || undefined;
  // A terminal that does not tell its size says 0.
  const columns = screen.isTty ? screen.columns || stated || COLUMNS_UNKNOWN : (stated ?? Number.POSITIVE_INFINITY);
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

/** --color, then COGNITION_COLOR, NO_COLOR, FORCE_COLOR, the preference, and at last whether a terminal shows it. */
function isColored(screen: Screen, preferences: Preferences): boolean {
  const preferred = preferences.all.find(({ preference }) => preference.key === 'color');
  const value = preferred?.value ?? 'auto';
  const isSpoken = preferred?.origin === 'flag' || preferred?.origin === 'environment';
  if (isSpoken && value !== 'auto') return value === 'always';
  if (preferred?.origin !== 'flag') {
    if (environment('NO_COLOR') !== undefined) return false;
    const forced = environment('FORCE_COLOR') ?? environment('CLICOLOR_FORCE');
    if (forced !== undefined) return forced !== '0' && forced !== 'false';
    if (value !== 'auto') return value === 'always';
  }
  return screen.isTty && environment('TERM') !== 'dumb';
}

/** Without Unicode when so preferred, or when the locale states another character set. */
function isAscii(preferences: Preferences): boolean {
  if (preferences.get('ascii') === 'true') return true;
  return !isUnicodeLocale();
}

/** A locale that is not stated at all is that of a container or service: those are UTF-8 today. */
export function isUnicodeLocale(): boolean {
  const locale = environment('LC_ALL') ?? environment('LC_CTYPE') ?? environment('LANG');
  return locale === undefined || /utf-?8/i.test(locale);
}
