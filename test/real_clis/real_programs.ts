/** A real program, the version that is tried, and how it finds the model server on loopback. */
export interface RealProgram {
  name: string;
  /** What npm installs, and what runs it where that is another Node than this one. */
  packages: string[];
  model: string;
  environment(origin: string): Record<string, string>;
  /** A person's own configuration, below the home that the agent has here. */
  files(origin: string): Record<string, string>;
  /** Whether it is a client of tool servers. */
  isClient: boolean;
}

const KEY = 'sk-test-0123456789abcdef';

export const REAL_PROGRAMS: readonly RealProgram[] = [
  {
    name: 'claude',
    packages: ['@anthropic-ai/claude-code@2.1.328'],
    model: 'claude-sonnet-4-5',
    environment: (origin) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: origin }),
    files: () => ({}),
    isClient: true,
  },
  {
    name: 'codex',
    packages: ['@openai/codex@0.169.0'],
    model: 'gpt-5.2',
    environment: () => ({ CODEX_API_KEY: KEY }),
    files: (origin) => ({ '.codex/config.toml': codexConfig(origin) }),
    isClient: true,
  },
  {
    name: 'gemini',
    packages: ['@google/gemini-cli@0.61.0'],
    model: 'gemini-3-pro-preview',
    environment: (origin) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: origin }),
    files: () => ({}),
    isClient: true,
  },
  {
    name: 'opencode',
    packages: ['opencode-ai@1.18.33'],
    model: 'loopback/model',
    environment: () => ({}),
    files: (origin) => ({ '.config/opencode/opencode.json': opencodeConfig(origin) }),
    isClient: true,
  },
  {
    name: 'pi',
    // Versions from 0.74 on need Node 22.
    packages:
      Number.parseInt(process.versions.node, 10) >= 22
        ? ['@earendil-works/pi-coding-agent@0.87.1']
        : ['@mariozechner/pi-coding-agent@0.73.1'],
    model: 'loopback/model',
    environment: () => ({}),
    files: (origin) => ({ '.pi/agent/models.json': piModels(origin) }),
    isClient: false,
  },
];

function codexConfig(origin: string): string {
  return [
    'model_provider = "loopback"',
    '[model_providers.loopback]',
    'name = "loopback"',
    `base_url = "${origin}/v1"`,
    'wire_api = "responses"',
    'env_key = "CODEX_API_KEY"',
    'request_max_retries = 1',
    'stream_max_retries = 1',
    '',
  ].join('\n');
}

export function opencodeConfig(origin: string): string {
  const models = { model: { name: 'model' } };
  const options = { baseURL: `${origin}/v1`, apiKey: KEY };
  return JSON.stringify({
    provider: { loopback: { npm: '@ai-sdk/openai-compatible', name: 'loopback', options, models } },
  });
}

function piModels(origin: string): string {
  const provider = { baseUrl: `${origin}/v1`, api: 'openai-completions', apiKey: KEY, models: [{ id: 'model' }] };
  return JSON.stringify({ providers: { loopback: provider } });
}
