import { breaking, fail, type Script, say } from '../support/model/script.js';
import type { SentRequest, SentTurn } from './sent_turns.js';

/** How each agent calls the tool that runs a command, and the name of its argument. */
const SHELLS: Readonly<Record<string, string>> = {
  Bash: 'command',
  bash: 'command',
  shell_command: 'command',
  exec_command: 'cmd',
  run_shell_command: 'command',
};
let calls = 0;

/** The answer that the newest message itself asks for: `[[run:command]]`, `[[call:tool {…}]]`, `[[hang]]`, `[[429]]`; else what was heard. */
export function replyTo({ tools, turns }: SentRequest): Script {
  const last = turns.at(-1);
  if (tools.length === 0 || last === undefined) return say({ kind: 'text', text: 'a title' });
  if (last.results.length > 0) return say({ kind: 'text', text: `tool said: ${last.results.join('\n')}` });
  const [, word = '', rest = ''] = /\[\[(\w+)(?::([\s\S]*?))?\]\]/.exec(last.text) ?? [];
  switch (word) {
    case 'run':
      return shellCall(tools, rest);
    case 'call': {
      const [, name = '', input = '{}'] = /^(\S+) ([\s\S]*)$/.exec(rest) ?? [];
      const tool = tools.find((one) => one.endsWith(name));
      return tool === undefined
        ? say({ kind: 'text', text: `no tool ${name} among ${tools.join(' ')}` })
        : callOf(tool, input);
    }
    case 'hang':
      return breaking('hang', { kind: 'text', text: 'I begin' });
    case '429':
      return fail(429, 'rate limit exceeded: too many requests');
    default:
      return say({ kind: 'text', text: `heard ${heard(turns)}` });
  }
}

function shellCall(tools: readonly string[], command: string): Script {
  const tool = tools.find((name) => SHELLS[name] !== undefined);
  if (tool === undefined) return say({ kind: 'text', text: `no shell among ${tools.join(' ')}` });
  const input = {
    [SHELLS[tool] ?? 'command']: command,
    ...(tool === 'bash' || tool === 'Bash' ? { description: 'runs it' } : {}),
  };
  return callOf(tool, JSON.stringify(input));
}

function callOf(tool: string, input: string): Script {
  calls += 1;
  return say({ kind: 'call', id: `call_${calls}`, tool, input });
}

/** The words between angles that persons said, without what agents add to them. */
function heard(turns: readonly SentTurn[]): string {
  const said = turns.filter(({ role }) => role === 'user').map(({ text }) => text);
  return said.flatMap((text) => [...text.matchAll(/<<(\w+)>>/g)].map(([, word]) => word)).join(' ');
}
