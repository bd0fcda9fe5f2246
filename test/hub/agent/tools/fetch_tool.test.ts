import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listOf, objectOf } from '../../../support/model/prompt_cache.js';
import { withRawServer } from '../../../support/model/raw_server.js';
import { say } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';
import { resultsOf, spawn } from '../sub_sessions/sub_session_turns.js';
import { call, words } from '../turn/turn_calls.js';

const WEB = { model: 'anthropic/claude-sonnet-5', web: true };
const fetching = (id: string, url: string) => call(id, 'fetch', { url });
const toolsOf = (body: Record<string, unknown>): unknown[] => listOf(body.tools).map((tool) => objectOf(tool).name);

test('a page is fetched where that was granted, and its commands have no network by it', () =>
  withRawServer(
    (response) => response.setHeader('content-type', 'text/html').end('<h1>Tides</h1><p>High at noon.'),
    (origin) =>
      withAgent(async (agent) => {
        const { host, port } = new URL(origin);
        writeFileSync(join(agent.hub.home, 'config'), `http.allow = ${host}\n`);
        const reach = call('c2', 'bash', { command: `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>&1; echo ended $?` });
        const { texts } = await resultsOf(agent, [fetching('c1', `${origin}/page`), reach], { change: WEB });
        expect(texts[0]).toMatch(/^\[200 OK, text\/html, \d+ bytes, .*\]\n\n.*Tides\n.*High at noon\.$/s);
        expect(texts[1]).toMatch(/ended 1\n$/);
      }),
  ));

test('addresses that are private are refused, and nothing is asked of them', () =>
  withRawServer(
    () => expect.unreachable('it was asked'),
    (origin) =>
      withAgent(async (agent) => {
        const { port } = new URL(origin);
        const urls = [origin, `http://localhost:${port}/`, 'http://169.254.169.254/latest', 'file:///etc/passwd', ''];
        const { texts } = await resultsOf(
          agent,
          urls.map((url, place) => fetching(`c${place}`, url)),
          { change: WEB },
        );
        expect(texts[0]).toMatch(/not of the public internet: this machine/);
        expect(texts[1]).toMatch(/not of the public internet: this machine/);
        expect(texts[2]).toMatch(/not of the public internet: link-local/);
        expect(texts[3]).toMatch(/neither http nor https/);
        expect(texts[4]).toMatch(/^fetch was not run: url: /);
      }),
  ));

test('it is offered where the path grants it, until that is taken away, and never where plans are made', () =>
  withAgent(async ({ say: ask, run, path, server }) => {
    let tip: Parameters<typeof path>[0] | undefined;
    const offered = async (change: object | null): Promise<boolean> => {
      ({ tip } = await run(await ask('hello', tip), change === null ? { change: null } : { change }));
      return toolsOf(server.requests.at(-1)?.body ?? {}).includes('fetch');
    };
    expect(await offered({ model: WEB.model })).toBe(false);
    expect(await offered({ web: true })).toBe(true);
    expect(await offered(null)).toBe(true);
    expect(await offered({ level: 'readonly' })).toBe(true);
    expect(await offered({ web: false })).toBe(false);
    expect(await offered(null)).toBe(false);
    expect(await offered({ web: true, level: 'plan' })).toBe(false);
    const sent = server.requests.map(({ body }) => JSON.stringify(body.tools));
    expect(sent[2]).toBe(sent[1]);
    expect(sent[5]).toBe(sent[4]);
  }));

test('who was not granted it is told that there is no such tool', () =>
  withAgent(async (agent) => {
    const { texts } = await resultsOf(agent, [fetching('c1', 'https://example.com/')]);
    expect(texts[0]).toBe('there is no tool "fetch" (your tools are: read, write, edit, bash, spawn_session)');
  }));

test('a sub-session reads pages where the turn does', () =>
  withAgent(async (agent) => {
    const { server, say: ask, run } = agent;
    for (const change of [WEB, { ...WEB, web: false }]) {
      server.script(say(spawn('c1', { task: 'look it up' })), say(words('Found.')), say(words('Done.')));
      await run(await ask('look'), { change });
      const [, child] = server.requests.splice(0);
      expect(toolsOf(child?.body ?? {}).includes('fetch')).toBe(change.web);
    }
  }));
