import { fileURLToPath } from 'node:url';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Input } from '../command_line/command.js';
import { type Context, openContext } from '../command_line/command_context.js';
import type { takeSignals } from '../command_line/interruption.js';
import { EXIT, exitCodeOf, reasonOf, renderFailure } from '../output/failure.js';
import { findTree } from '../position/reference.js';
import { readTurnOptions } from '../turn/turn_options.js';
import { begunTurns } from './begun_turns.js';
import { createCodes } from './codes.js';
import { hubLinks } from './hub_links.js';
import { openBrowser } from './open_browser.js';
import { linkTo, pageAnswers } from './page_answers.js';
import { readPageFiles } from './page_files.js';
import { listenForPages } from './page_server.js';
import { isOwnPeer } from './peer_owner.js';
import { personActs } from './person_acts.js';
import { pipePage } from './pipe.js';

const PORT_MAX = 65_535;

export type WebInput = Input<'tree', 'no-open' | 'write', 'port'> & Parameters<typeof readTurnOptions>[0];

/** Serves the page until a signal; resolves to the exit code. */
export async function serveWeb(
  input: WebInput,
  { json, onSignal }: { json: boolean; onSignal: typeof takeSignals },
): Promise<number> {
  try {
    const context = openContext({ json, color: undefined, paged: false });
    const ended = new Promise<void>((resolve) => {
      onSignal(() => resolve());
    });
    const { newLink, close } = await serve(input, context);
    await showLink(context, newLink(), { opens: !input.flag('no-open') });
    if (process.stdin.isTTY) offerLinks(context, newLink);
    await ended;
    await close();
    await context.close();
    return EXIT.ok;
  } catch (error) {
    process.stderr.write(renderFailure(error, json));
    return exitCodeOf(error);
  }
}

async function serve(input: WebInput, context: Context): Promise<{ newLink(): string; close(): Promise<void> }> {
  const port = portFrom(input.value('port'));
  const named = input.argument('tree');
  const tree = named === undefined ? null : (await findTree(context, named, 'read')).id;
  // A home without a hub has one before the first page asks.
  await context.client();
  const codes = createCodes(Date.now);
  const canWrite = input.flag('write');
  const answers = await answersFor(input, context, canWrite);
  const openHub = hubLinks(context.paths.home);
  const perform = (method: string, params: Record<string, unknown>): Promise<unknown> => {
    const answer = Object.hasOwn(answers, method) ? answers[method] : undefined;
    if (answer === undefined) throw new HubError('invalid_params', `there is no ${method}`);
    return answer(params);
  };
  const server = await listenForPages({
    ...{ port, codes, isOwnPeer: (socket) => isOwnPeer(socket) },
    files: readPageFiles(fileURLToPath(new URL('./page/', import.meta.url))),
    take: (page) => pipePage(page, { openHub, canWrite, perform }),
    onUsedTwice: () =>
      context.note(
        'A link was used twice: its page is closed, as somebody else may have seen the link. Take a new one.',
      ),
  });
  return { newLink: () => linkTo(server.port, codes.issue(), tree), close: server.close };
}

type Answers = Readonly<Record<string, (params: Record<string, unknown>) => Promise<unknown>>>;

async function answersFor(input: WebInput, context: Context, canWrite: boolean): Promise<Answers> {
  const reading = pageAnswers(context, canWrite);
  if (!canWrite) return reading;
  const options = await readTurnOptions(input, context);
  const turns = begunTurns(context, (error) => context.note(`A turn that a page began: ${reasonOf(error)}`));
  return { ...reading, ...personActs({ context, options, turns }) };
}

function portFrom(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= PORT_MAX) return port;
  throw new HubError('invalid_params', `--port takes a number from 1 to ${PORT_MAX}, not ${JSON.stringify(text)}`, {
    hint: ['without it any free port is taken: ', cliCommand('web')],
  });
}

/** Prints a link on a line of its own, and opens it. */
async function showLink(context: Context, link: string, { opens }: { opens: boolean }): Promise<void> {
  if (context.json) await context.printJson({ url: link });
  else await context.out.write(`${link}\n`);
  const another = process.stdin.isTTY ? ', Enter makes another' : '';
  context.note(`It holds for two minutes and for one page${another}. Ctrl-C ends it.`);
  if (opens && !(await openBrowser(link))) {
    context.note('No browser was found here: open the link yourself, on this machine.');
  }
}

function offerLinks(context: Context, newLink: () => string): void {
  process.stdin.on('data', () => {
    process.stdout.write(`${newLink()}\n`);
  });
  process.stdin.resume();
  process.stdin.on('error', () => context.note('Enter makes no links any more.'));
}
