import { environment, wholeEnvironment } from '../../hub/config/config.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';

type Access = NonNullable<ParamsOf<'agent.run'>['access']>;

/** How this person reaches models, as their environment says it: it is sent along with a call, and kept nowhere. */
export function modelAccess(): Access {
  const access: Access = {};
  for (const [provider, { key, address }] of Object.entries(VARIABLES)) {
    const given = { key: read(key), base_url: read(address) };
    if (given.key !== null || given.base_url !== null) access[provider] = given;
  }
  const { ollama } = access;
  if (ollama?.base_url != null) ollama.base_url = ollamaAddress(ollama.base_url);
  return access;
}

const VARIABLES = {
  anthropic: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
  ollama: { key: 'OLLAMA_API_KEY', address: 'OLLAMA_HOST' },
};
const OLLAMA_PORT = 11_434;

function read(variable: string): string | null {
  return environment(variable) ?? null;
}

/** Ollama's variable may name a host alone, with or without its port; keys of others are sent to no address that was guessed. */
function ollamaAddress(value: string): string {
  if (/^[a-z][a-z+.-]*:\/\//i.test(value)) return value;
  const [host = '', ...path] = value.split('/');
  const place = /:\d+$/.test(host) ? host : `${host}:${OLLAMA_PORT}`;
  return `http://${[place, ...path].join('/')}`;
}

// Where programs are and how text is written: all of it that a model's commands may know.
const PASSED_ON = /^(PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ)$/;

/** What of this person's environment the commands of models get. */
export function modelEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(wholeEnvironment()).filter(([name]) => PASSED_ON.test(name)));
}
