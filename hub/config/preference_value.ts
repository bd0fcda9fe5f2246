import { connectionProblem } from './database_addresses.js';
import { serverProblem } from './server_preferences.js';

/** The values that a preference accepts. */
export type PreferenceKind =
  | { type: 'choice'; values: readonly string[] }
  | { type: 'flag' }
  | { type: 'number'; least: number; most: number }
  /** One of the values, and others for models by their names: `high, opus=max`. */
  | { type: 'by_model'; values: readonly string[] }
  | { type: 'command' }
  | { type: 'connection' }
  | { type: 'server' };

/** Why a value does not fit its preference; null when it does. */
export function preferenceProblem({ key, kind }: { key: string; kind: PreferenceKind }, value: string): string | null {
  const shown = JSON.stringify(value);
  switch (kind.type) {
    case 'choice':
      return kind.values.includes(value) ? null : `${key} is one of ${kind.values.join(', ')}, not ${shown}`;
    case 'flag':
      return value === 'true' || value === 'false' ? null : `${key} is true or false, not ${shown}`;
    case 'number': {
      const number = value.trim() === '' ? Number.NaN : Number(value);
      const fits = number >= kind.least && number <= kind.most;
      return fits ? null : `${key} is a number from ${kind.least} to ${kind.most}, not ${shown}`;
    }
    case 'by_model': {
      const fits = Object.values(valuesByModel(value)).every((one) => kind.values.includes(one));
      return fits
        ? null
        : `${key} is one of ${kind.values.join(', ')}, and for single models as in opus=max, not ${shown}`;
    }
    case 'command':
      return /[\n\r\0]/.test(value) ? `${key} is one line, not ${shown}` : null;
    case 'connection':
      return connectionProblem(key, value);
    case 'server':
      return serverProblem(key, value);
  }
}

/** The values of a preference by the names of models; `*` is every other one. */
export function valuesByModel(value: string): Record<string, string> {
  const parts = value.split(',').map((part) => /^\s*(?:([^\s=]+)\s*=\s*)?([^\s=]*)\s*$/.exec(part) ?? [part, '*', '']);
  return Object.fromEntries(parts.map(([, model = '*', one = '']) => [model, one]));
}
