import { once } from 'node:events';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliCommand } from '../../../hub/base/hint.js';
import type { Handlers } from '../../../hub/base/plugin.js';
import { ensureHub, judge } from '../../../hub/client/find_hub.js';
import type { HubGreeting, Program } from '../../../hub/client/link.js';
import { HUB_ENTRY, hubPid, withHub } from '../../support/hub.js';
import { withServer } from '../serving.js';

const hub: HubGreeting = { version: '1.2.0', protocol: 3, epoch: 'e', busy: 0, listen: null };

function verdict(program: Program, listen: string | null = null, greeting: HubGreeting = hub): string {
  const { replace, refusal, note } = judge(greeting, { home: '/home', listen, program });
  return `${replace ? 'replace, else ' : ''}${refusal?.message ?? 'use'}${note === null ? '' : `; ${note}`}`;
}

describe('a running hub', () => {
  test('of the same version is used', () => {
    expect(verdict({ version: '1.2.0', protocol: 3 })).toBe('use');
  });

  test('that is older is replaced when it is idle, else used with a note', () => {
    expect(verdict({ version: '1.10.0', protocol: 3 })).toBe(
      'replace, else use; the hub runs version 1.2.0, this program is 1.10.0',
    );
  });

  test('that is newer is used with a note', () => {
    expect(verdict({ version: '1.1.9', protocol: 3 })).toBe('use; the hub runs version 1.2.0, this program is 1.1.9');
  });

  test('of an older protocol is replaced when it is idle, else refused', () => {
    expect(verdict({ version: '2.0.0', protocol: 4 })).toBe(
      'replace, else the hub of /home speaks protocol 3 (version 1.2.0), this program protocol 4 (version 2.0.0)',
    );
  });

  test('of a newer protocol is refused', () => {
    expect(verdict({ version: '1.0.0', protocol: 2 })).toBe(
      'the hub of /home speaks protocol 3 (version 1.2.0), this program protocol 2 (version 1.0.0)',
    );
  });

  test('without the TCP address asked for is replaced when it is idle, else refused', () => {
    expect(verdict({ version: '1.2.0', protocol: 3 }, '127.0.0.1:4040')).toBe(
      'replace, else the running hub has no TCP address',
    );
  });

  test('with it is used, any port being right for port 0', () => {
    const listening = { ...hub, listen: '127.0.0.1:4040' };
    expect(verdict({ version: '1.2.0', protocol: 3 }, '127.0.0.1:4040', listening)).toBe('use');
    expect(verdict({ version: '1.2.0', protocol: 3 }, '127.0.0.1:0', listening)).toBe('use');
  });
});

describe('replacing', () => {
  const ensure = (home: string, program: Program) =>
    ensureHub({
      home,
      start: true,
      entry: HUB_ENTRY,
      listen: null,
      program,
      signal: new AbortController().signal,
      mayCopy: true,
    });

  test('ends an idle older hub once and starts the program’s own', async () => {
    await withHub(async ({ home, pid }) => {
      const before = await pid();
      const link = await ensure(home, { version: '99.0.0', protocol: 1 });
      link.socket.terminate();
      expect(await hubPid(home)).not.toBe(before);
    });
  });

  test('leaves a busy hub running, with a note', async () => {
    const loom: Handlers = {
      'loom.tree_update': async (_params, { signal }) => {
        await once(signal, 'abort');
        throw new Error('cancelled');
      },
    };
    await withServer(loom, async ({ socket, dial }) => {
      const caller = await dial();
      const params = { tree: '00000000-0000-4000-8000-000000000001', name: null };
      caller.send([{ jsonrpc: '2.0', id: 1, method: 'loom.tree_update', params }]);
      caller.send({ jsonrpc: '2.0', id: 2, method: 'rpc.cancel', params: { id: 'none' } });
      await caller.next();
      const link = await ensure(dirname(socket), { version: '99.0.0', protocol: 1 });
      link.socket.terminate();
      expect([link.hub.version, link.hub.busy]).toEqual(['1.2.3', 1]);
      expect(link.note).toBe('the hub runs version 1.2.3, this program is 99.0.0');
      caller.send({ jsonrpc: '2.0', id: 3, method: 'rpc.cancel', params: { id: 1 } });
      await caller.next();
    });
  });

  test('of a newer protocol is refused with a hint', async () => {
    await withHub(async ({ home }) => {
      await expect(ensure(home, { version: '0.0.1', protocol: 0 })).rejects.toMatchObject({
        kind: 'version',
        hint: [
          ...['end it when its work is done: ', cliCommand('hub stop')],
          '; or use the other version of cognition',
        ],
      });
    });
  });
});
