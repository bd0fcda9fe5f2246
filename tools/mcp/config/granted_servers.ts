import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../../../hub/base/disk/durable_file.js';
import { attempt } from '../../walk/pinned_folder.js';
import { parsedText } from './parsed_text.js';
import type { ServerDefinition } from './server_definition.js';

const Grants = z.record(z.string(), z.object({ sha256: z.string(), network: z.boolean() }));
type Grants = z.infer<typeof Grants>;

/** What a person has said of servers: for what their configurations said then, and no other. */
export interface GrantedServers {
  find(project: string, server: ServerDefinition): { network: boolean } | null;
  set(project: string, server: ServerDefinition, network: boolean): void;
}

export function openGrants(cognitionHome: string): GrantedServers {
  const file = join(cognitionHome, 'tool_servers.json');
  // Where it is damaged nothing is granted.
  const read = (): Grants => {
    const text = attempt(() => readFileSync(file, 'utf8'));
    const grants = text === null ? null : Grants.safeParse(parsedText(() => JSON.parse(text)));
    return grants?.success === true ? grants.data : {};
  };
  return {
    find(project, server) {
      const grants = read();
      const key = keyOf(project, server);
      const grant = Object.hasOwn(grants, key) ? grants[key] : undefined;
      return grant?.sha256 === server.sha256 ? { network: grant.network } : null;
    },
    set(project, server, network) {
      const grants = { ...read(), [keyOf(project, server)]: { sha256: server.sha256, network } };
      replaceFile(file, `${JSON.stringify(grants, null, 2)}\n`);
    },
  };
}

/** A server of a person is the same in all projects. */
function keyOf(project: string, { name, isOfProject }: ServerDefinition): string {
  return JSON.stringify([isOfProject ? project : null, name]);
}
