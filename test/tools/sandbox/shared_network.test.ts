import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { expect, test } from 'vitest';
import { withFolder } from '../../support/hub.js';
import { tries } from '../../support/mounts.js';
import { KINDS } from './contained.js';

const DRIVER = new URL('shared_network_driver.ts', import.meta.url).pathname;
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const MASKED = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/perl'];
const [, ...masking] = MASKED;

const people = process.getuid?.() === 0 ? [[], NOBODY] : [[]];
const forms = [
  ...KINDS.map((kind) => ({ kind, name: kind, within: [] as string[] })),
  ...(tries('bwrap', [...masking, 'unshare', '--user', '--map-root-user', '--mount', 'true'])
    ? [{ kind: 'util-linux', name: 'util-linux without perl', within: MASKED }]
    : []),
];

interface Seen {
  name: string;
  joined: string;
  apart: string;
  interfaces: string;
  rights: string;
  changed: string;
  outside: string;
  granted: string;
  closed: string;
}

for (const { kind, name, within } of forms) {
  for (const as of people) {
    const who = as.length === 0 ? '' : ', as a plain user';
    test(`${name}${who}: commands share a network in which there is nothing else, and hold no rights over it`, () =>
      withFolder(async (given) => {
        const folder = realpathSync(given);
        for (const one of ['home', 'home/kept', 'project', 'tmp']) {
          mkdirSync(join(folder, one));
          chmodSync(join(folder, one), 0o777);
        }
        chmodSync(folder, 0o755);
        const outfile = join(folder, 'driver.mjs');
        esbuild.buildSync({
          ...{ entryPoints: [DRIVER], outfile, bundle: true },
          ...{ platform: 'node', format: 'esm', logLevel: 'warning', define: { COGNITION_VERSION: '"test"' } },
        });
        const [program = '', ...words] = [...within, ...as, process.execPath, outfile, kind, folder];
        const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
        let said = '';
        child.stdout.on('data', (bytes: Buffer) => {
          said += bytes;
        });
        await once(child, 'close');
        const seen: Seen = JSON.parse(said);
        expect(seen).toEqual({
          name: kind,
          joined: 'served',
          apart: 'refused',
          interfaces: 'lo',
          rights: '0000000000000000 0000000000000000',
          changed: 'refused',
          outside: 'refused',
          granted: 'outside',
          closed: 'none',
        });
      }));
  }
}
