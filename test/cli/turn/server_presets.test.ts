import { expect, test } from 'vitest';
import { SERVER_PRESETS, type ServerPreset } from '../../../hub/base/server_presets.js';
import { withCli } from '../../support/cli.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';

const LS = { kind: 'call', id: 'call_one', tool: 'bash', input: '{"command":"echo here"}' } as const;
const DONE = { kind: 'text', text: 'All is here.' } as const;
/** Thinking comes in the field that the server uses. */
const THOUGHT = { kind: 'thinking', text: 'Let me look.' } as const;

interface Tried {
  /** What stands behind `--model`; null where the key alone is enough. */
  model: string | null;
  /** Where the stand-in speaks as this server does. */
  below: string;
  thinks: 'reasoning' | 'reasoning_content' | null;
  path: string;
}

const CHAT = { below: '/v1', thinks: null, path: '/v1/chat/completions' };
const TRIED: Readonly<Record<string, Tried>> = {
  deepseek: { ...CHAT, model: null, thinks: 'reasoning_content' },
  xai: { ...CHAT, model: null, thinks: 'reasoning_content' },
  mistral: { ...CHAT, model: null, below: '/mistral/v1', path: '/mistral/v1/chat/completions' },
  openrouter: { ...CHAT, model: 'openrouter/anthropic/claude-sonnet-5', thinks: 'reasoning' },
  groq: {
    ...{ model: 'groq/openai/gpt-oss-120b', thinks: 'reasoning' },
    ...{ below: '/groq/v1', path: '/groq/v1/chat/completions' },
  },
  azure: { ...CHAT, model: 'azure/gpt-5.6-sol', path: '/v1/responses' },
  lmstudio: { ...CHAT, model: 'lmstudio/qwen3', thinks: 'reasoning_content' },
  llamacpp: { ...CHAT, model: 'llamacpp/any', thinks: 'reasoning_content' },
  vllm: { ...CHAT, model: 'vllm/Qwen/Qwen3-32B', thinks: 'reasoning_content' },
};

/** What a person sets for a server, and what the answers of its stand-in are like. */
function setupFor({ name, needsKey, keyVariable, keyHeader, addressVariable }: ServerPreset, origin: string) {
  const { model, below, thinks, path } = TRIED[name] ?? CHAT_UNTRIED;
  const isKeyless = needsKey === 'never';
  const key: Record<string, string> = isKeyless ? {} : { [keyVariable]: KEY };
  const word = isKeyless ? 'no-key' : KEY;
  const like = {
    kind: isKeyless ? ('say_to_anyone' as const) : ('say' as const),
    quirks: thinks === 'reasoning' ? (['reasoning_field'] as const) : [],
  };
  const thought = thinks === null ? [] : [THOUGHT];
  return {
    ...{ path, env: { ...key, [addressVariable]: origin + below } },
    chosen: model === null ? [] : ['--model', model],
    script: [
      { ...say(...thought, LS), ...like },
      { ...say(DONE), ...like },
    ],
    keySent: keyHeader === 'authorization' ? `Bearer ${word}` : word,
  };
}

const CHAT_UNTRIED: Tried = { ...CHAT, model: 'untried' };

test.each(SERVER_PRESETS)('a turn at $name works with a key and the line of the guide', (preset) =>
  withModelServer((server) =>
    withCli(async ({ run }) => {
      const { env, chosen, script, path, keySent } = setupFor(preset, server.origin);
      server.script(...script);
      const { code, stdout, stderr } = await run(['ask', 'what is here?', ...chosen], { env });
      expect([stderr, code, stdout]).toEqual([expect.stringContaining('[bash] echo here'), 0, 'All is here.\n']);
      expect(server.requests.map((request) => request.path)).toEqual([path, path]);
      expect(server.requests.map(({ headers }) => headers[preset.keyHeader])).toEqual([keySent, keySent]);
      // What it counts is counted here, too, also where nobody asks it to.
      const { stdout: cost } = await run(['cost', '--json'], { env });
      expect(JSON.parse(cost)).toMatchObject({ total: { requests: 2, unknown_usage: 0 } });
    }),
  ),
);

test('a hosted server without its key is refused before anything is begun', () =>
  withCli(async ({ run }) => {
    const { code, stderr } = await run(['ask', 'hello', '--model', 'grok']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('there is no key for xai\nhint: set XAI_API_KEY')]);
    const azure = await run(['ask', 'hello', '--model', 'azure/mine'], { env: { AZURE_OPENAI_API_KEY: KEY } });
    expect(azure.stderr).toContain('the address of azure is not known\nhint: set AZURE_OPENAI_ENDPOINT to it');
  }));
