#!/usr/bin/env node
// An agent that only speaks the Agent Client Protocol: it repeats what it is told, where and with what.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const told = [];

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/set_config_option': () => ({}),
  'session/new': () => ({ sessionId: `own-${process.pid}` }),
  'session/prompt': ({ sessionId, prompt }) => {
    told.push(prompt.map(({ text }) => text).join(''));
    const about = { told: told.at(-1), words: process.argv.slice(2), cwd: process.cwd(), env: process.env };
    const content = {
      type: 'text',
      text: told.at(-1).includes('[[about]]') ? JSON.stringify(about) : `own: ${told.join(' | ')}`,
    };
    send({
      method: 'session/update',
      params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } },
    });
    return { stopReason: 'end_turn' };
  },
};

if (process.argv.includes('--version')) {
  process.stdout.write('acp_agent 7.1.2\n');
  process.exit(0);
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  send(result === undefined ? { id, error: { code: -32601, message: 'no such method' } } : { id, result });
});
