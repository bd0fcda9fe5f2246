import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { CallContext, Resolved } from '../../../hub/base/plugin.js';
import type { ToolAnswer } from '../../../hub/protocol/methods/tool_methods.js';
import { createHttp } from '../../../tools/http/http_plugin.js';
import type { TestHub } from '../../support/hub.js';
import { OPEN, refused } from '../file/tool_calls.js';
import { withAllowed } from './servers.js';

const context: CallContext = {
  ...{ signal: new AbortController().signal, caller: { kind: 'internal' } },
  ...{ emit: () => undefined, hasRoom: () => true, drained: () => Promise.resolve() },
};

/** Resolves the handle of an answer with a fresh look. */
function again(hub: TestHub, answer: ToolAnswer, allowed: string[]): Promise<Resolved> {
  return resolved(hub, answer, { allowed, fresh: true, bytesMax: 1_000 });
}

interface Wanted {
  allowed: string[];
  fresh: boolean;
  bytesMax: number;
}

async function resolved(hub: TestHub, { external }: ToolAnswer, wanted: Wanted): Promise<Resolved> {
  const { allowed, fresh, bytesMax } = wanted;
  const place = { userHome: hub.home, cognitionHome: hub.home, commands: hub.home, path: '' };
  const plugin = createHttp({
    ...{ hub: hub.client, log: () => undefined, clock: () => 0, newId: randomUUID, machine: place, sessionsFolder: '' },
    shrinkImage: () => Promise.reject(new Error('no image is made smaller here')),
    config: {
      outputBytesMax: () => 1_000_000,
      httpAllowed: () => allowed,
      postgres: () => null,
      postgresNames: () => [],
      agentModels: () => '',
      filesRecorded: () => false,
    },
  });
  const { handle, output } = external;
  const found = await plugin.resolve?.({ handle, output, fresh, bytes_max: bytesMax }, context);
  if (found === undefined) throw new Error('the plugin resolves nothing');
  return found;
}

test('a page is fetched again by the same rules, and reported with its changes', () => {
  let status = 200;
  let body = 'one\ntwo\n';
  return withAllowed(
    (_, response) => response.writeHead(status, { 'content-type': 'text/plain' }).end(body),
    async (origin, hub) => {
      const allowed = [origin.replace('http://', '')];
      const answer = await hub.client.call('http.fetch', { url: `${origin}/a`, policy: OPEN });
      expect(await again(hub, answer, allowed)).toEqual({
        text: body,
        total_bytes: 8,
        left_out_bytes: 0,
        changed: null,
      });
      body = 'one\nthree\nfour\n';
      expect((await again(hub, answer, allowed)).changed).toBe('2 lines added, 1 removed (8 bytes then, 15 now)');
      status = 404;
      expect((await again(hub, answer, allowed)).changed).toContain('the status is 404 instead of 200; 2 lines added');
      expect((await refused(again(hub, answer, []))).kind).toBe('unauthorised');
    },
  );
});

test('a handle resolves to the stored page as readable text, and nothing is fetched', () => {
  const requests: (string | undefined)[] = [];
  const page = Buffer.from(
    '<title>Gr\xfcn</title><nav>menu</nav><p>Some <a href="/x">words</a><script>x()</script>',
    'latin1',
  );
  return withAllowed(
    (request, response) => {
      requests.push(request.url);
      response
        .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
        .end(request.url === '/none' ? '' : page);
    },
    async (origin, hub) => {
      const pinned = { allowed: [], fresh: false, bytesMax: 1_000 };
      const answer = await hub.client.call('http.fetch', { url: `${origin}/a`, policy: OPEN });
      const text = `Grün\n\nSome [words](${origin}/x)`;
      const whole = { text, total_bytes: Buffer.byteLength(text), left_out_bytes: 0, changed: null };
      expect(await resolved(hub, answer, pinned)).toEqual(whole);
      const cut = await resolved(hub, answer, { ...pinned, bytesMax: 20 });
      expect(cut.text).toContain(`[… ${cut.left_out_bytes} bytes left out …]`);
      expect(cut.total_bytes).toBe(whole.total_bytes);
      const none = await hub.client.call('http.fetch', { url: `${origin}/none`, policy: OPEN });
      expect((await refused(resolved(hub, none, pinned))).kind).toBe('resolve_failed');
      expect(requests).toEqual(['/a', '/none']);
    },
  );
});

test('a stored page without its middle is read up to the gap', () =>
  withAllowed(
    (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>begin ${'word '.repeat(400_000)}end`),
    async (origin, hub) => {
      await writeFile(
        `${hub.home}/config`,
        `http.allow = ${origin.replace('http://', '')}\noutput.megabytes_max = 1\n`,
      );
      const answer = await hub.client.call('http.fetch', { url: origin, policy: OPEN });
      expect(answer.external.output).toMatchObject({ size_bytes: 1_000_000, total_bytes: 2_000_012 });
      const { text } = await resolved(hub, answer, { allowed: [], fresh: false, bytesMax: 200 });
      expect(text).toMatch(/^begin (word )+/);
      expect(text).toMatch(/\n\[the page goes on: 1,500,012 bytes of it were not read\]$/);
    },
  ));
