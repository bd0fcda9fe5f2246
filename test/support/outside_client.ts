import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { PROGRAM, type TestCli, userHomeBeside } from './cli.js';

/** What is known of an agent that uses tools of others: see the guide. */
export interface ClientProfile {
  name: string;
  /** The revision of the protocol that it speaks. */
  revision: string;
  /** Which part of an answer its model is shown, and how much of that. */
  shows: 'data' | 'text';
  lengthMax: number;
  /** Everything, or a chosen few of its variables. */
  environment: Readonly<Record<string, string>>;
}

const SECRET = { ANTHROPIC_MESSAGING_TOKEN: 'a-secret-of-theirs', OPENCODE_CONFIG_CONTENT: '{}' };

export const PROFILES: readonly ClientProfile[] = [
  { name: 'claude', revision: '2026-07-28', shows: 'data', lengthMax: 20_000, environment: SECRET },
  { name: 'codex', revision: '2025-06-18', shows: 'data', lengthMax: 12_000, environment: {} },
  { name: 'gemini', revision: '2025-06-18', shows: 'text', lengthMax: 40_000, environment: {} },
  { name: 'opencode', revision: '2025-11-25', shows: 'text', lengthMax: 50_000, environment: SECRET },
];

export interface OutsideClient {
  client: Client;
  call(name: string, input: Record<string, unknown>): Promise<CallToolResult>;
  /** What its model is shown of an answer. */
  shown(result: CallToolResult): string;
  stderr(): string;
}

/** Runs a test with an agent that has started the program as a server of tools. */
export async function withOutsideClient(
  cli: TestCli,
  profile: ClientProfile,
  use: (outside: OutsideClient) => Promise<void>,
): Promise<void> {
  const isModern = profile.revision === '2026-07-28';
  const client = new Client(
    { name: profile.name, version: '1.0.0' },
    isModern
      ? { versionNegotiation: { mode: { pin: profile.revision } } }
      : { supportedProtocolVersions: [profile.revision] },
  );
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: cli.folder, stderr: 'pipe' },
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: userHomeBeside(cli.folder), COGNITION_HOME: cli.home },
      ...profile.environment,
    },
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  await client.connect(transport);
  try {
    await use({
      client,
      call: (name, input) => client.callTool({ name, arguments: input }),
      shown: (result) => (profile.shows === 'data' ? JSON.stringify(result.structuredContent) : textIn(result)),
      stderr: () => stderr,
    });
  } finally {
    await client.close();
  }
}

const Texts = z.array(z.object({ type: z.literal('text'), text: z.string() }));

export function textIn({ content }: CallToolResult): string {
  return Texts.parse(content)
    .map(({ text }) => text)
    .join('\n');
}
