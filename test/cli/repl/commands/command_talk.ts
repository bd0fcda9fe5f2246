import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withChat, withTerminal } from '../../../support/terminal.js';

/** A person in front of a chat who types commands. */
export interface Typing {
  terminal: TestTerminal;
  /** Types a line, and resolves with all that stands below it when that says this. */
  does(line: string, wanted: string | RegExp): Promise<string>;
}

export interface CommandTalk extends Typing {
  home: string;
  folder: string;
  server: ModelServer;
  /** The id of the open tree. */
  tree(): string;
  /** One more terminal in the same home, in the same tree. */
  another<T>(use: (typing: Typing) => Promise<T>): Promise<T>;
}

interface Where {
  size?: { columns: number; rows: number };
  args?: readonly string[];
  env?: Record<string, string>;
}

/** A chat without a model: what is said is kept as notes. */
export function withNotes<T>(use: (talk: CommandTalk) => Promise<T>, where: Where = {}): Promise<T> {
  return withModelServer((server) => withCommands(server, {}, { use, where }));
}

/** A chat with a loopback model. */
export function withModel<T>(use: (talk: CommandTalk) => Promise<T>, where: Where = {}): Promise<T> {
  return withModelServer((server) => {
    const env = {
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
      COGNITION_MODEL: 'anthropic/claude-sonnet-5',
    };
    return withCommands(server, env, { use, where });
  });
}

function withCommands<T>(
  server: ModelServer,
  model: Record<string, string>,
  { use, where }: { use: (talk: CommandTalk) => Promise<T>; where: Where },
): Promise<T> {
  const env = { ...model, ...where.env };
  return withChat({ ...where, env }, async (terminal, { home, folder }) => {
    await terminal.waitFor(/^>(?: |$)/m);
    const tree = (): string => idIn(terminal);
    const place = { COGNITION_HOME: home, HOME: userHomeBeside(folder), TERM_PROGRAM: 'vscode', ...env };
    return use({
      ...{ terminal, does: typist(terminal), home, folder, server, tree },
      another: (work) =>
        withTerminal(
          { command: process.execPath, args: [PROGRAM, 'chat', tree()], cwd: folder, env: place },
          async (second) => {
            await second.waitFor(/^>(?: |$)/m);
            return work({ terminal: second, does: typist(second) });
          },
        ),
    });
  });
}

function idIn(terminal: TestTerminal): string {
  const id = terminal
    .transcript()
    .join('\n')
    .match(/Tree: ?([0-9a-f-]{36})/g)
    ?.at(-1);
  if (id === undefined) throw new Error('no tree is told');
  return id.slice(-36);
}

function typist(terminal: TestTerminal): Typing['does'] {
  return async (line, wanted) => {
    const before = echoes(terminal, line).length;
    terminal.type(line, KEYS.enter);
    let below = '';
    await terminal.waitFor(() => {
      const found = echoes(terminal, line);
      below = found.length > before ? (found.at(-1) ?? '') : '';
      // Prose goes on in the next row behind a word.
      return typeof wanted === 'string'
        ? `${below}${below.replaceAll('\n', ' ')}`.includes(wanted)
        : wanted.test(below);
    });
    return below;
  };
}

/** A line of this length is one row on a screen of 80 columns. */
const ROW_COLUMNS = 70;

/** What stands below each place where a line was taken. */
function echoes(terminal: TestTerminal, line: string): string[] {
  const shown = `\n${terminal.transcript().join('\n')}\n`;
  const found: string[] = [];
  // A long line is echoed in several rows.
  const echo = line.length < ROW_COLUMNS ? `\n> ${line}\n` : `\n> ${line.slice(0, ROW_COLUMNS)}`;
  for (let at = shown.indexOf(echo); at >= 0; at = shown.indexOf(echo, at + 1))
    found.push(shown.slice(at + echo.length));
  return found;
}

/** The node where one stands, as the row at the bottom tells it. */
export function standsAt(terminal: TestTerminal): string {
  return / at ([0-9a-f]{8})\b/.exec(terminal.screen().at(-1) ?? '')?.[1] ?? '';
}
