import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import { openLink } from '../../../hub/client/link.js';
import { homePaths } from '../../../hub/config/config.js';
import { knownSocket } from '../../../hub/home/socket_path.js';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { withHub } from '../../support/hub.js';
import { ran, stepParts, text } from '../../support/trees.js';

async function newTree(client: Client) {
  const tree = TreeId.parse(randomUUID());
  await client.call('loom.tree_create', { id: tree });
  return { tree, parent: NodeId.parse(tree) };
}

// As it comes over the wire: in a literal the key would set the prototype.
const evil: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"a":[{"__proto__":2}]}');

test('keys such as __proto__ in inputs, metadata and settings are kept like any other', () =>
  withHub(async ({ client }) => {
    const place = await newTree(client);
    const { call, handle, ...rest } = ran('ls');
    const external = { ...rest, call: { ...call, input: evil }, handle: { ...handle, metadata: evil } };
    const { node } = await client.call('loom.node_create_external', { ...place, blocks: text('x'), external });
    const read = await client.call('loom.node_get', { node: node.id });
    for (const one of [node, read.node]) {
      const stored = one.kind === 'external' ? one.external : null;
      expect(JSON.stringify(stored?.call.input)).toBe(
        '{"__proto__":{"polluted":true},"a":[{"__proto__":2}],"constructor":{"prototype":1}}',
      );
      expect(JSON.stringify(stored?.handle.metadata)).toBe(JSON.stringify(stored?.call.input));
    }
    const settings = { system_prompt: '', tools: [evil], level: '', model: '', thinking: evil };
    const { sha256 } = await client.call('loom.settings_put', { settings });
    expect(JSON.stringify((await client.call('loom.settings_get', { sha256 })).settings.tools)).toContain('__proto__');
    expect(await client.call('loom.fsck', {})).toMatchObject({ problems: [] });
  }));

interface Answer {
  result?: unknown;
  error?: { message: string };
}

/** What the hub answers to a frame of somebody who does not use our client. */
async function answerTo(home: string, method: string, params: string): Promise<Answer> {
  const path = knownSocket(homePaths(home)) ?? '';
  const link = await openLink({ kind: 'socket', path }, { version: '0', protocol: 1 });
  if (link === null) throw new Error('no hub runs');
  const answered = once(link.socket, 'message');
  link.send(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
  const [data] = await answered;
  link.socket.terminate();
  return JSON.parse(String(data));
}

test('a step that is sent again with its id, but without ids for its calls, is the first one', () =>
  withHub(async ({ client, home }) => {
    const step = { ...(await newTree(client)), id: randomUUID(), ...stepParts('look', ['ls', 'pwd']) };
    const first = await answerTo(home, 'loom.step_create', JSON.stringify(step));
    expect(first).toMatchObject({ result: { nodes: [{ id: step.id }, {}, {}] } });
    expect(await answerTo(home, 'loom.step_create', JSON.stringify(step))).toEqual(first);
  }));

test('a number too large for JSON is refused, not kept as null', () =>
  withHub(async ({ home }) => {
    const settings = '{"system_prompt":"","tools":[1e999],"level":"","model":"","thinking":null}';
    const { error } = await answerTo(home, 'loom.settings_put', `{"settings":${settings}}`);
    expect(error?.message).toBe('settings.tools.0: must be JSON, with numbers that are finite');
  }));
