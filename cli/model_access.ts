import { environment, wholeEnvironment } from '../hub/config.js';
import type { ParamsOf } from '../hub/protocol/methods.js';

type Access = NonNullable<ParamsOf<'agent.run'>['access']>;

/** How this person reaches models, as their environment says it: it is sent along with a call, and kept nowhere. */
export function modelAccess(): Access {
  const access: Access = {};
  for (const [provider, { key, address }] of Object.entries(VARIABLES)) {
    const given = { key: read(key), base_url: addressOf(read(address)) };
    if (given.key !== null || given.base_url !== null) access[provider] = given;
  }
  return access;
}

const VARIABLES = {
  anthropic: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
  ollama: { key: 'OLLAMA_API_KEY', address: 'OLLAMA_HOST' },
};

function read(variable: string): string | null {
  return environment(variable) ?? null;
}

/** Ollama's variable may name a host alone. */
function addressOf(value: string | null): string | null {
  return value === null || /^[a-z][a-z+.-]*:\/\//i.test(value) ? value : `http://${value}`;
}

// Where programs are and how text is written: all of it that a model's commands may know.
const PASSED_ON = /^(PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ)$/;

/** What of this person's environment the commands of models get. */
export function modelEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(wholeEnvironment()).filter(([name]) => PASSED_ON.test(name)));
}
