import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { HubError } from './error.js';
import { nearest } from './nearest.js';

declare const COGNITION_VERSION: string; // put in by the build

/** This program's version. */
export const VERSION: string = COGNITION_VERSION;

/** The value of an environment variable; an empty one counts as unset. */
export function environment(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** The folder that holds everything cognition keeps. */
export function homeFolder(): string {
  return resolve(environment('COGNITION_HOME') ?? join(homedir(), '.cognition'));
}

/** Where each thing lies in a home folder. */
export function homePaths(home: string) {
  return {
    home,
    database: join(home, 'trees.db'),
    searchIndex: join(home, 'search.db'),
    lock: join(home, 'hub.lock'),
    starting: join(home, 'hub.starting'),
    socket: join(home, 'hub.sock'),
    /** Names the socket when the home's path is too long to hold it. */
    address: join(home, 'hub.address'),
    outputs: join(home, 'outputs'),
    uploads: join(home, 'uploads'),
    logs: join(home, 'logs'),
    hubLog: join(home, 'logs', 'hub.log'),
    session: join(home, 'session.json'),
    config: join(home, 'config'),
    token: join(home, 'hub.token'),
  };
}
export type HomePaths = ReturnType<typeof homePaths>;

// What a hub may know of the environment it was started from: no keys, no shell or loader settings.
const HUB_ENVIRONMENT = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
];

/** The environment a hub is started with. */
export function hubEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of HUB_ENVIRONMENT) {
    const value = environment(name);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** What a hub process was told on its command line: its home, and `--listen host:port`, and `--ready` for a starter that waits on fd 3. */
export function hubArguments(): { home: string; listen: string | null; ready: boolean } {
  const words = process.argv.slice(2);
  const at = words.indexOf('--listen');
  const [first] = words;
  return {
    home: first === undefined || first.startsWith('--') ? homeFolder() : resolve(first),
    listen: at < 0 ? null : (words[at + 1] ?? ''),
    ready: words.includes('--ready'),
  };
}

type PreferenceKind =
  | { type: 'choice'; values: readonly string[] }
  | { type: 'flag' }
  | { type: 'number'; least: number; most: number }
  | { type: 'command' };

export interface Preference {
  key: string;
  description: string;
  default: string;
  /** Environment variables that set it, the strongest first. */
  environment: readonly string[];
  kind: PreferenceKind;
  /** Whether a project's own file may set it: nothing that runs a command or concerns other projects. */
  project: boolean;
}

/** Every preference there is. */
export const PREFERENCES: readonly Preference[] = [
  {
    key: 'color',
    description: 'Colours on the terminal.',
    default: 'auto',
    environment: ['COGNITION_COLOR'],
    kind: { type: 'choice', values: ['auto', 'always', 'never'] },
    project: true,
  },
  {
    key: 'pager',
    description: 'The command that shows long output page by page, where it is installed; `cat` for none.',
    default: 'less -R',
    environment: ['COGNITION_PAGER', 'PAGER'],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'ascii',
    description: 'Draw trees with ASCII characters only.',
    default: 'false',
    environment: ['COGNITION_ASCII'],
    kind: { type: 'flag' },
    project: true,
  },
  {
    key: 'hub.idle_minutes',
    description: 'Minutes after which a hub without clients and without work ends by itself.',
    default: '30',
    environment: [],
    kind: { type: 'number', least: 0.001, most: 525_600 },
    project: false,
  },
];

export type PreferenceOrigin = 'flag' | 'environment' | 'project' | 'user' | 'default';

export interface PreferenceValue {
  preference: Preference;
  value: string;
  origin: PreferenceOrigin;
  /** The file, variable or option it comes from; null for a default. */
  from: string | null;
}

export interface Preferences {
  /** The value of a preference; its key must be one of PREFERENCES. */
  get(key: string): string;
  /** Every preference in the order of PREFERENCES. */
  all: readonly PreferenceValue[];
  /** What was ignored and why, one line each. */
  warnings: readonly string[];
}

/** Reads all preferences: flag, then environment, then the project's file, then the person's, then the default. */
export function readPreferences(places: {
  home: string;
  /** The project's folder; null outside any. */
  project: string | null;
  flags: Readonly<Record<string, string>>;
}): Preferences {
  const warnings: string[] = [];
  const userFile = homePaths(places.home).config;
  const projectFile = places.project === null ? null : projectConfig(places.project);
  const user = readConfig(userFile, 'user', warnings);
  // A home that lies in the project's folder is not the project's own file.
  const project =
    projectFile === null || projectFile === userFile ? new Map() : readConfig(projectFile, 'project', warnings);
  const all = PREFERENCES.map((preference): PreferenceValue => {
    const candidates: [PreferenceOrigin, string, string | undefined][] = [
      ['flag', `--${preference.key}`, places.flags[preference.key]],
      ...preference.environment.map((name): [PreferenceOrigin, string, string | undefined] => [
        'environment',
        name,
        environment(name),
      ]),
      ['project', projectFile ?? '', project.get(preference.key)],
      ['user', userFile, user.get(preference.key)],
    ];
    for (const [origin, from, value] of candidates) {
      if (value === undefined) continue;
      const problem = preferenceProblem(preference, value);
      if (problem === null) return { preference, value, origin, from };
      warnings.push(`${from}: ${problem}; it is ignored`);
    }
    return { preference, value: preference.default, origin: 'default', from: null };
  });
  const values = new Map(all.map((one) => [one.preference.key, one.value]));
  return { get: (key) => values.get(key) ?? '', all, warnings };
}

/** The file in which a project keeps its preferences. */
export function projectConfig(project: string): string {
  return join(project, '.cognition', 'config');
}

/** The preference with this key; an unknown one is refused with the nearest. */
export function preferenceOf(key: string): Preference {
  const found = PREFERENCES.find((one) => one.key === key);
  if (found !== undefined) return found;
  throw new HubError('invalid_params', `there is no preference ${JSON.stringify(key)}`, { hint: suggestion(key) });
}

/** Why a value does not fit its preference; null when it does. */
function preferenceProblem(preference: Preference, value: string): string | null {
  const { key, kind } = preference;
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
    case 'command':
      return /[\n\r\0]/.test(value) ? `${key} is one line, not ${shown}` : null;
  }
}

/** Writes a preference into a configuration file, or takes it out when the value is null; other lines stay as they are. */
export function writePreference(file: string, key: string, value: string | null): void {
  const preference = preferenceOf(key);
  const problem = value === null ? null : preferenceProblem(preference, value);
  if (problem !== null) throw new HubError('invalid_params', problem, { hint: preference.description });
  const others = readText(file)
    .split('\n')
    .filter((line) => keyOf(line) !== key);
  while (others.at(-1)?.trim() === '') others.pop();
  if (value !== null) others.push(`${key} = ${value}`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, others.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(draft, file);
}

/** A file that cannot be read takes its preferences away, and nothing else. */
function textOrWarning(file: string, warnings: string[]): string {
  try {
    return readText(file);
  } catch (error) {
    warnings.push(`${error instanceof Error ? error.message : file}; it is ignored`);
    return '';
  }
}

function readText(file: string): string {
  if (!existsSync(file)) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HubError('invalid_params', `${file} cannot be read: ${reason}`, { cause: error });
  }
}

function readConfig(file: string, origin: 'project' | 'user', warnings: string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, line] of textOrWarning(file, warnings).split('\n').entries()) {
    const place = `${file}:${index + 1}`;
    const key = keyOf(line);
    if (key === null) continue;
    const known = PREFERENCES.find((one) => one.key === key);
    if (key === '') warnings.push(`${place}: not of the form "key = value"; it is ignored`);
    else if (known === undefined)
      warnings.push(`${place}: there is no preference ${JSON.stringify(key)}; ${suggestion(key)}`);
    else if (origin === 'project' && !known.project)
      warnings.push(`${place}: ${key} cannot be set by a project; it is ignored`);
    else values.set(key, line.slice(line.indexOf('=') + 1).trim());
  }
  return values;
}

/** The key a line sets; null for a blank line or a comment, empty for a line of no sense. */
function keyOf(line: string): string | null {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return null;
  const at = text.indexOf('=');
  return at < 0 ? '' : text.slice(0, at).trim();
}

function suggestion(key: string): string {
  const keys = PREFERENCES.map((one) => one.key);
  const near = nearest(key, keys);
  return near === null ? `known ones: ${keys.join(', ')}` : `did you mean ${near}?`;
}
