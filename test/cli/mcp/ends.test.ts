import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { PROGRAM, type TestCli, userHomeBeside, withCli } from '../../support/cli.js';

/** The program as agents start it, with lines of the protocol as they are written. */
function startServer(cli: TestCli, words: readonly string[] = []) {
  const env = { PATH: process.env.PATH ?? '', HOME: userHomeBeside(cli.folder), COGNITION_HOME: cli.home };
  const child = spawn(process.execPath, [PROGRAM, 'mcp', ...words], { cwd: cli.folder, env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close');
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const read = async (fits: (message: string) => boolean): Promise<string> => {
    for (;;) {
      const { done, value } = await lines.next();
      if (done === true) throw new RangeError('the server has ended');
      if (fits(value)) return value;
    }
  };
  const clientInfo = { name: 'a test', version: '1.0.0' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  return { child, ended, send, read };
}

const WAITING = 'demo: run echo begun; sleep 600';

function work(id: number, task: string): object {
  const input = { agent: 'demo', task, session_id: 'ends' };
  return { id, method: 'tools/call', params: { name: 'work_with', arguments: input, _meta: { progressToken: id } } };
}

test('a server that is told to end stops the turns that it began', () =>
  withCli(async (cli) => {
    const { child, ended, send, read } = startServer(cli);
    send(work(2, WAITING));
    await read((line) => line.includes('bash echo begun'));
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
    expect(await cli.print('sessions', '--json')).toContain('"is_busy":false');
    expect(await cli.print('context', 'ends')).toContain('sleep 600');
  }));

test('the cancel of a call that was answered, or never made, does no harm', () =>
  withCli(async (cli) => {
    const { child, ended, send, read } = startServer(cli);
    send(work(2, 'demo: say first'));
    expect(await read((line) => line.includes('"id":2'))).toContain('first');
    for (const requestId of [2, 99]) send({ method: 'notifications/cancelled', params: { requestId } });
    send(work(3, 'demo: say second'));
    expect(await read((line) => line.includes('"id":3'))).toContain('second');
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  }));

test('calls at once are answered each by itself, wrong ones in words', () =>
  withCli(async (cli) => {
    const { child, ended, send, read } = startServer(cli);
    send(work(2, 'demo: run until [ -e go ]; do sleep 0.05; done\ndemo: then\ndemo: say late'));
    send({ id: 3, method: 'tools/call', params: { name: 'work_with', arguments: { agent: 7 } } });
    expect(await read((line) => line.includes('"id":3'))).toMatch(/isError|error/);
    send({ id: 4, method: 'tools/call', params: { name: 'count_project_tokens', arguments: { items: ['../..'] } } });
    expect(await read((line) => line.includes('"id":4'))).toContain('about 0 tokens');
    send({
      id: 5,
      method: 'tools/call',
      params: { name: 'work_with', arguments: { agent: 'demo', task: 'demo: run touch go' } },
    });
    await read((line) => line.includes('"id":2') && line.includes('late'));
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  }));

test('what the command line says holds for every call', () =>
  withCli(async (cli) => {
    const { child, ended, send, read } = startServer(cli, ['--level', 'readonly']);
    send(work(2, 'demo: run touch made && echo made\ndemo: then\ndemo: say done'));
    await read((line) => line.includes('"id":2'));
    expect(await cli.print('exec', 'ends', 'ls')).not.toContain('made');
    child.stdin.end();
    await ended;
  }));
