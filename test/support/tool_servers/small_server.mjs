// A tool server with the official kit: what it is told, what it may do, and how often it was started.
import { execSync } from 'node:child_process';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

let calls = 0;
const text = (value) => ({ content: [{ type: 'text', text: value }] });

serveStdio(() => {
  const server = new McpServer({ name: 'small', version: '1.0.0' }, { capabilities: { tools: {} } });
  const input = z.object({
    a: z.number(),
    b: z.number().int().optional(),
    words: z.array(z.string()).optional(),
    loud: z.boolean().optional(),
  });
  server.registerTool(
    'add',
    { description: 'Adds numbers.\nSecond line.', inputSchema: input },
    ({ a, b = 0, words = [], loud }) => text(`${a + b} ${words.join('+')}${loud ? '!' : ''}`.trim()),
  );
  server.registerTool('count', { description: 'Counts its calls.', inputSchema: z.object({}) }, () => {
    calls += 1;
    return text(`${process.pid} ${calls}`);
  });
  server.registerTool(
    'shell',
    { description: 'Runs a command.', inputSchema: z.object({ command: z.string() }) },
    ({ command }) => {
      try {
        return text(execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
      } catch (error) {
        return { ...text(String(error.stderr)), isError: true };
      }
    },
  );
  return server;
});
