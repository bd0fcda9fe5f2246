import { afterEach, expect, test } from 'vitest';
import { modelAccess } from '../../../cli/turn/model_access.js';

const VARIABLES = [
  ...['OLLAMA_HOST', 'OPENAI_BASE_URL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
];
const before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));

afterEach(() => {
  for (const name of VARIABLES) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

function accessWith(variables: Record<string, string>): ReturnType<typeof modelAccess> {
  for (const name of VARIABLES) delete process.env[name];
  Object.assign(process.env, variables);
  return modelAccess({ servers: new Map() });
}

test.each([
  ['localhost', 'http://localhost:11434'],
  ['192.168.0.2:8080', 'http://192.168.0.2:8080'],
  ['[::1]', 'http://[::1]:11434'],
  ['box/ollama', 'http://box:11434/ollama'],
  ['https://box.example', 'https://box.example'],
])('a host for Ollama that is given as %s is reached at %s', (host, address) => {
  expect(accessWith({ OLLAMA_HOST: host })).toMatchObject({ ollama: { key: null, base_url: address } });
});

test('the address of any other server is taken as it is, so that no key goes to a guessed one', () => {
  const access = accessWith({ OPENAI_BASE_URL: 'api.example.com/v1', OPENAI_API_KEY: 'key', ANTHROPIC_API_KEY: '' });
  expect(Object.keys(access)).toEqual(['openai']);
  expect(access.openai).toMatchObject({ key: 'key', base_url: 'api.example.com/v1' });
});

test('a key for Gemini is found by both names that Google gives it, its own first', () => {
  expect(accessWith({ GOOGLE_API_KEY: 'one' })).toMatchObject({ gemini: { key: 'one', base_url: null } });
  expect(accessWith({ GOOGLE_API_KEY: 'one', GEMINI_API_KEY: 'two' }).gemini?.key).toBe('two');
});
