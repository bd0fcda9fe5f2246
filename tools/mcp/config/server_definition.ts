import * as z from 'zod';
import type { Sha256 } from '../../../hub/protocol/node.js';
import { canonicalHash } from './definition_hash.js';

/** A server as a configuration says it. */
export interface ServerDefinition {
  name: string;
  /** The file, and the part of it that is about one project. */
  source: string;
  isOfProject: boolean;
  /** Null for one that is not started as a program: over HTTP. */
  command: string | null;
  arguments: readonly string[];
  environment: Readonly<Record<string, string>>;
  cwd: string | null;
  sha256: Sha256;
}

const text = z.string().max(65_536);
const Entry = z.object({
  command: text.optional(),
  args: z.array(text).max(1_000).default([]),
  env: z.record(z.string().regex(/^[A-Za-z_]\w{0,199}$/), text).default({}),
  cwd: text.optional(),
  url: text.optional(),
  httpUrl: text.optional(),
  disabled: z.boolean().optional(),
  enabled: z.boolean().optional(),
});

const SERVERS_MAX = 200;
/** As the protocol counts it. */
const NAME_LENGTH_MAX = 200;

/** The servers of a configuration, and what is wrong with the others. */
export function definitionsIn(
  entries: unknown,
  { source, isOfProject }: Pick<ServerDefinition, 'source' | 'isOfProject'>,
): { servers: ServerDefinition[]; warnings: string[] } {
  const warnings: string[] = [];
  if (entries === undefined) return { servers: [], warnings };
  const all = z.record(z.string(), z.unknown()).safeParse(entries);
  if (!all.success) return { servers: [], warnings: [`${source}: what it says of servers is no table`] };
  const servers = Object.entries(all.data)
    .slice(0, SERVERS_MAX)
    .flatMap(([name, given]): ServerDefinition[] => {
      const entry = Entry.safeParse(given);
      const where = `${source}: the server ${JSON.stringify(name.slice(0, 100))}`;
      if (!/^[^\p{Cc}\p{Cf}]{1,200}$/u.test(name) || name.length > NAME_LENGTH_MAX || !entry.success) {
        warnings.push(`${where} is not understood, and left out`);
        return [];
      }
      const { command = null, args, env, cwd = null, disabled, enabled, url = null, httpUrl = null } = entry.data;
      if (disabled === true || enabled === false) return [];
      const said = { command, args, env, cwd, url: url ?? httpUrl };
      const definition = { name, source, isOfProject, command, arguments: args, environment: env, cwd };
      return [{ ...definition, sha256: canonicalHash(said) }];
    });
  return { servers, warnings };
}

const VARIABLE = /\$\{([A-Za-z_]\w{0,199})(?::-([^}]*))?\}/g;

/** The variables that a definition names as `${NAME}`. */
export function variablesOf({ command, arguments: words, environment, cwd }: ServerDefinition): string[] {
  const texts = [command ?? '', ...words, ...Object.values(environment), cwd ?? ''];
  return [...new Set(texts.flatMap((one) => [...one.matchAll(VARIABLE)].map(([, name = '']) => name)))];
}

/** A text with what its variables say; one that says nothing is named. */
export function withValues(text: string, values: Readonly<Record<string, string>>, missing: Set<string>): string {
  return text.replace(VARIABLE, (_, name: string, other: string | undefined) => {
    const value = Object.hasOwn(values, name) ? values[name] : other;
    if (value === undefined) missing.add(name);
    return value ?? '';
  });
}
