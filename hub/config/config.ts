import { mkdtempSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { cloudOf, findProvider } from '../base/provider_records.js';
import { readConfigFile, writeConfigFile } from './config_file.js';
import { type Addressed, addressDescription, addressedBy, shownConnection } from './database_addresses.js';
import { keyHint } from './key_hint.js';
import { PREFERENCES, type Preference } from './preference_table.js';
import { preferenceProblem } from './preference_value.js';
import {
  type ServerSettings,
  serverFieldDescription,
  serverKey,
  serversIn,
  shownServerValue,
} from './server_preferences.js';

declare const COGNITION_VERSION: string; // defined by the build

/** This program's version. */
export const VERSION: string = COGNITION_VERSION;

/** The value of an environment variable; an empty one counts as unset. */
export function environment(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** The whole environment of this process, for commands that a person runs through it. */
export function wholeEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
}

/** The folder with all data of cognition. */
export function homeFolder(): string {
  return resolve(environment('COGNITION_HOME') ?? join(homedir(), '.cognition'));
}

/** The home folder of the person. */
export function userHome(): string {
  return homedir();
}

/** The paths in a home folder. */
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
    /** What runs, as far as it came: commands, and exchanges with agents. */
    commands: join(home, 'commands'),
    agentRuns: join(home, 'agents', 'runs'),
    logs: join(home, 'logs'),
    /** Transcripts that were saved without a path. */
    sessions: join(home, 'sessions'),
    hubLog: join(home, 'logs', 'hub.log'),
    session: join(home, 'session.json'),
    /** What was imported from other programs. */
    imports: join(home, 'imports.json'),
    config: join(home, 'config'),
    /** What a person installs beside the program. */
    packages: join(home, 'packages'),
    token: join(home, 'hub.token'),
  };
}
export type HomePaths = ReturnType<typeof homePaths>;
// The environment variables that a hub inherits: no keys, no shell or loader settings.
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
  'COGNITION_SQLITE',
];

/** glibc would keep what messages of megabytes took, and once for each thread. */
const ALLOCATION = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' };

/** The environment that a hub is started with. */
export function hubEnvironment(): Record<string, string> {
  const variables: Record<string, string> = { ...ALLOCATION };
  for (const name of HUB_ENVIRONMENT) {
    const value = environment(name);
    if (value !== undefined) variables[name] = value;
  }
  if (temporaryFolderProblem() !== null) delete variables.TMPDIR;
  return variables;
}

const SYSTEM_TEMPORARY = '/tmp';

/** The folder for what lives shortly: that of TMPDIR when it can be used, else the system's. */
export function temporaryFolder(): string {
  return temporaryFolderProblem() === null ? (environment('TMPDIR') ?? SYSTEM_TEMPORARY) : SYSTEM_TEMPORARY;
}

/** Why TMPDIR is not used; null when it is, or is not set. */
export function temporaryFolderProblem(): string | null {
  const folder = environment('TMPDIR');
  if (folder === undefined) return null;
  const instead = `; ${SYSTEM_TEMPORARY} is used instead`;
  if (!isAbsolute(folder)) return `TMPDIR is ${folder}, which is not an absolute path${instead}`;
  try {
    rmdirSync(mkdtempSync(join(folder, 'cognition-')));
    return null;
  } catch (error) {
    return `TMPDIR is ${folder}, where nothing can be written (${errnoOf(error) ?? String(error)})${instead}`;
  }
}

/** The command line of a hub process: its home, `--listen host:port`, and `--ready` for a starter that waits on fd 3. */
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

/** The keys of all preferences, without those of databases and servers. */
export function preferenceKeys(): string[] {
  return PREFERENCES.map(({ key }) => key);
}

export type PreferenceOrigin = 'flag' | 'environment' | 'project' | 'user' | 'default';

export interface PreferenceValue {
  preference: Preference;
  /** As it is shown: without a password. */
  value: string;
  origin: PreferenceOrigin;
  /** The file, variable or option it comes from; null for a default. */
  from: string | null;
}

export interface Preferences {
  /** The value of a preference as it is shown; empty for a database that is not named. */
  get(key: string): string;
  /** Every preference in the order of PREFERENCES, then the databases and servers. */
  all: readonly PreferenceValue[];
  /** How to reach the databases that the person has named, passwords included. */
  connections: ReadonlyMap<string, string>;
  /** How to reach what trees are shared over, passwords included. */
  remotes: ReadonlyMap<string, string>;
  /** What the person says of servers of models, by their names. */
  servers: ReadonlyMap<string, ServerSettings>;
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
  const { shown, servers, ...addresses } = readNamed(user, userFile, warnings);
  const values = new Map([...all, ...shown].map((one) => [one.preference.key, one.value]));
  return { get: (key) => values.get(key) ?? '', all: [...all, ...shown], ...addresses, servers, warnings };
}

/** The databases, remotes and servers that the person has named. */
function readNamed(user: ReadonlyMap<string, string>, from: string, warnings: string[]) {
  const shown: PreferenceValue[] = [];
  const addresses = { database: new Map<string, string>(), remote: new Map<string, string>() };
  const ofServers = new Map<string, string>();
  for (const [key, value] of user) {
    const preference = namedPreference(key);
    if (preference === null) continue;
    const problem = preferenceProblem(preference, value);
    if (problem === null) {
      const addressed = addressedBy(key);
      if (addressed === null) ofServers.set(key, value);
      else addresses[addressed.of].set(addressed.name, value);
      shown.push({ preference, value: shownValue(preference, value), origin: 'user', from });
    } else warnings.push(`${from}: ${problem}; it is ignored`);
  }
  const servers = serversIn(ofServers);
  for (const [name, settings] of servers) {
    if (hasAddress(name, settings)) continue;
    servers.delete(name);
    warnings.push(`${from}: the server ${name} has no address; it is ignored until server.${name}.base_url is set`);
  }
  return { shown, connections: addresses.database, remotes: addresses.remote, servers };
}

/** A known provider has one of its own, and that of a cloud follows from its region. */
function hasAddress(name: string, { baseUrl, kind }: ServerSettings): boolean {
  return (
    baseUrl !== null || (findProvider(name) ?? cloudOf({ server: findProvider(kind ?? '')?.server ?? null })) !== null
  );
}

/** The file in which a project keeps its preferences. */
export function projectConfig(project: string): string {
  return join(project, '.cognition', 'config');
}

/** The preference with this key; an unknown one is refused with the nearest. */
export function preferenceOf(key: string): Preference {
  const found = findPreference(key);
  if (found !== undefined) return found;
  // Text after a separator was meant as a value, and may be secret.
  const [shown = ''] = key.split(/[=:\s]/, 1);
  throw new HubError('invalid_params', `there is no preference ${JSON.stringify(shown)}`, { hint: keyHint(key) });
}

function findPreference(key: string): Preference | undefined {
  return namedPreference(key) ?? PREFERENCES.find((one) => one.key === key);
}

/** The preference of a key that has a person's own name in it; null for other keys. */
function namedPreference(key: string): Preference | null {
  const addressed = addressedBy(key);
  if (addressed !== null) return addressPreference(key, addressed);
  const named = serverKey(key);
  if (named === null) return null;
  const description = `Of the server of models ${named.server}: ${serverFieldDescription(named.field)}`;
  return { key, description, default: '', environment: [], kind: { type: 'server' }, project: false };
}

/** A database by its address, which may hold a password: so it comes from the person's own file only. */
function addressPreference(key: string, addressed: Addressed): Preference {
  const description = addressDescription(addressed);
  return { key, description, default: '', environment: [], kind: { type: 'connection' }, project: false };
}

/** A value for display: a database address without its password, headers without what they say. */
export function shownValue({ key, kind }: Preference, value: string): string {
  if (kind.type === 'server') return shownServerValue(key, value);
  return kind.type === 'connection' ? shownConnection(value) : value;
}

/** Writes a preference into a configuration file, or removes it when the value is null; other lines are unchanged. */
export function writePreference(file: string, key: string, value: string | null): void {
  const preference = preferenceOf(key);
  const problem = value === null ? null : preferenceProblem(preference, value);
  if (problem !== null) throw new HubError('invalid_params', problem, { hint: preference.description });
  writeConfigFile(file, key, value);
}

function readConfig(file: string, origin: 'project' | 'user', warnings: string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { key, value, place } of readConfigFile(file, warnings)) {
    const known = findPreference(key);
    if (key === '') warnings.push(`${place}: not of the form "key = value"; it is ignored`);
    else if (known === undefined)
      warnings.push(`${place}: there is no preference ${JSON.stringify(key)}; ${keyHint(key)}`);
    else if (origin === 'project' && !known.project)
      warnings.push(`${place}: ${key} cannot be set by a project; it is ignored`);
    else values.set(key, value);
  }
  return values;
}
