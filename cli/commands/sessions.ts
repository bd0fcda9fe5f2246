import { HubError } from '../../hub/base/error.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import { command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import type { Look } from '../render/look/look.js';
import { formatAge } from '../render/text/age.js';
import { clean, cleanLine } from '../render/text/clean.js';
import { definitions } from '../render/text/definitions.js';
import { count } from '../render/text/ids_and_counts.js';

type Session = ResultOf<'history.session_list'>['sessions'][number];
type Described = ResultOf<'history.session_describe'>;

const LIMIT_MAX = 200;
const LIMIT_USUAL = 20;

export const sessionsCommand = command({
  name: 'sessions',
  summary: 'List the sessions of this project, describe one, or find what was said in them.',
  details:
    'A session is a conversation with a place where whoever comes next goes on: you, a model that is consulted, or another agent through `cognition mcp`. Its name is that of the tree, or its id.',
  arguments: [{ name: 'session', required: false, description: 'the one to describe', completes: 'tree' }],
  values: [
    { name: 'find', value: 'words', choices: null, description: 'find text in all of them instead' },
    { name: 'limit', value: 'number', choices: null, description: `how many; ${LIMIT_USUAL} when left out` },
  ],
  paged: true,
  examples: [
    { line: 'cognition sessions', does: 'lists them, newest first' },
    { line: 'cognition sessions --find "race condition"', does: 'finds what was said in this project' },
  ],
  async run(input, context) {
    const client = await context.client();
    const { project } = context;
    const limit = limitFrom(input.value('limit'));
    const [session, query] = [input.argument('session'), input.value('find')];
    if (query !== undefined) {
      const found = await client.call('history.search', { project, query, limit: Math.min(limit, 100) });
      if (context.json) await context.printJson(found);
      else await context.out.write(found.hits.map(hitLine).join(''));
      if (found.hits.length === 0) context.note('Nothing found.');
    } else if (session !== undefined) {
      const described = await client.call('history.session_describe', { project, session });
      if (context.json) await context.printJson(described);
      else await context.out.write(describedText(described, await context.look([])));
    } else {
      const listed = await client.call('history.session_list', { project, limit });
      if (context.json) await context.printJson(listed);
      else await context.out.write(sessionLines(listed.sessions, await context.look([])));
      if (listed.sessions.length === 0) context.note('No sessions in this project.');
    }
    return EXIT.ok;
  },
});

function limitFrom(text: string | undefined): number {
  const limit = text === undefined ? LIMIT_USUAL : Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= LIMIT_MAX) return limit;
  throw new HubError(
    'invalid_params',
    `--limit takes a whole number from 1 to ${LIMIT_MAX}, not ${JSON.stringify(text)}`,
  );
}

function sessionLines(sessions: readonly Session[], look: Look): string {
  return definitions(
    sessions.map((one) => [cleanLine(one.session), factsOf(one, look)]),
    look,
  );
}

function factsOf({ title, messages, branches, updated_at_ms, is_busy }: Session, { nowMs }: Look): string {
  const facts = [count(messages, 'message'), count(branches, 'branch'), formatAge(updated_at_ms, nowMs)];
  return cleanLine(`${[...facts, ...(is_busy ? ['runs'] : [])].join(', ')}: ${title}`);
}

function describedText(session: Described, look: Look): string {
  const { models, last, node } = session;
  const named = models.length === 0 ? 'none' : models.join(', ');
  const said = last.map(({ role, text }) => `\n${role}: ${clean(text).trim()}\n`).join('');
  return `${sessionLines([session], look)}models: ${cleanLine(named)}\ngoes on at: ${node}\n${said}`;
}

function hitLine({ session, snippet, node }: ResultOf<'history.search'>['hits'][number]): string {
  return `${cleanLine(`${session} ${node.slice(0, 8)}: ${snippet}`)}\n`;
}
