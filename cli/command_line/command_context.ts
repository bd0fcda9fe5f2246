import { detach } from '../../hub/base/detach.js';
import { hintText } from '../../hub/base/hint.js';
import type { Client } from '../../hub/client/client.js';
import { type HomePaths, homeFolder, homePaths, type Preferences, readPreferences } from '../../hub/config/config.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { jsonText } from '../output/json_text.js';
import { pagedSink } from '../output/pager.js';
import { type Sink, streamSink } from '../output/sink.js';
import { columnsOf, lookFor, type Screen } from '../output/terminal_look.js';
import { projectFolder, workingFolder } from '../position/project_folder.js';
import { openSession, type Session } from '../position/session_file.js';
import type { Look } from '../render/look/look.js';
import { clean } from '../render/text/clean.js';

/** What an open chat does for a command that runs in it. */
export interface ChatHost {
  /** Told before a command adds a node that the person has said: as a message of theirs, or beside, where a board shows what comes of it. */
  adds(node: NodeId, shown: 'as_message' | 'beside'): void;
  /** Shows rows above the editor, in place of those before. */
  showBoard(rows: readonly string[]): void;
}

/** What a command works with. */
export interface Context {
  paths: HomePaths;
  /** The folder that the person is in: of an editor's session, the one that the editor names. */
  cwd: string;
  /** The project folder around it. */
  project: string;
  /** The open chat that it runs in, whose tree is the current one wherever that works. */
  chat: ChatHost | null;
  preferences: Preferences;
  session: Session;
  screen: Screen;
  json: boolean;
  out: Sink;
  /** The hub, started when it does not run; the same connection every time. */
  client(): Promise<Client>;
  /** How to draw; the texts decide whether measuring needs all of Unicode. */
  look(texts: Iterable<string>): Promise<Look>;
  /** Prints a note on stderr, apart from the data. */
  note(text: Hint): void;
  /** Prints a value as one line of JSON. */
  printJson(value: unknown): Promise<void>;
  close(): Promise<void>;
}

// A terminal of unknown size reports 0.
const ROWS_UNKNOWN = 24;

interface ContextOptions {
  json: boolean;
  color: string | undefined;
  paged: boolean;
  /** Where the person is; the working folder without it. */
  folder?: string;
}

/** Builds the context of a command, without connecting to the hub. */
export function openContext(options: ContextOptions): Context {
  const paths = homePaths(homeFolder());
  const cwd = options.folder ?? workingFolder();
  const project = projectFolder(cwd);
  const flags = options.color === undefined ? {} : { color: options.color };
  const preferences = readPreferences({ home: paths.home, project, flags });
  const { isTTY, columns, rows } = process.stdout;
  const screen = {
    isTty: isTTY === true,
    columns: columnsOf({ isTty: isTTY === true, columns }),
    rows: rows || ROWS_UNKNOWN,
  };
  const direct = streamSink(process.stdout);
  const out = options.paged && !options.json ? pagedSink(direct, screen, preferences.get('pager')) : direct;
  const note = (text: Hint): void => {
    process.stderr.write(`${clean(hintText(text))}\n`);
  };
  let client: Promise<Client> | undefined;
  return {
    paths,
    cwd,
    project,
    chat: null,
    preferences,
    session: openSession(paths.session, note, Date.now),
    screen,
    json: options.json,
    out,
    client: () => {
      client ??= connected(paths.home, note);
      return client;
    },
    look: (texts) => lookFor(screen, preferences, texts),
    note,
    printJson: (value) => out.write(`${jsonText(value)}\n`),
    close: async () => {
      await out.end();
      if (client === undefined) return;
      const open = await client;
      // The process ends next, and the connection with it: what fails now no longer matters.
      detach(open.close(), () => undefined);
    },
  };
}

async function connected(home: string, note: (text: string) => void): Promise<Client> {
  const { connect } = await import('../../hub/client/client.js');
  const client = await connect({ home });
  if (client.hub.note !== null) note(client.hub.note);
  return client;
}
