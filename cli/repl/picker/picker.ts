import { detach } from '../../../hub/base/detach.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../output/failure.js';
import { listedByFolder } from '../../position/listed_by_folder.js';
import { shownFolder, workFolder } from '../../position/project_folder.js';
import type { Look } from '../../render/look/look.js';
import { drawPicker, pickerHeight } from '../../render/screens/picker_page.js';
import { getReady, questionRow } from '../editor/keys/confirmation.js';
import type { Key } from '../editor/keys/key.js';
import { createQuiet, type Quiet } from '../editor/keys/quiet.js';
import type { Taken } from '../editor/keys/typed_run.js';
import type { Terminal } from '../terminal/terminal.js';
import { type PickerAction, pressPickerKey } from './picker_keys.js';
import { NOTHING_PICKED, type PickedTree, type Picking, relisted } from './picker_state.js';
import { findSaid, previewOf, readConversations } from './read_conversations.js';

export interface Picker {
  take(key: Key): Taken;
  leave(): void;
  /** Null when the person leaves without a choice. */
  end: Promise<PickedTree | null>;
}

export interface PickerParts {
  client: Client;
  /** The folder that the person is in. */
  project: string;
  /** The conversation that is open, if it is made already. */
  current: TreeId | null;
  /** Where the person stood last in a conversation. */
  position(tree: TreeId): NodeId | undefined;
  terminal: Pick<Terminal, 'size' | 'enterScreen' | 'redrawScreen' | 'leaveScreen'>;
  look(columns: number): Look;
}

/** A search of what was said begins when nothing was typed for this long. */
const SEARCH_AFTER_MS = 150;
const PREVIEWS_MAX = 200;

interface Picked {
  parts: PickerParts;
  state: Picking;
  closing: AbortController;
  reading: AbortController;
  searching: AbortController;
  typed: Quiet;
  answerable: Quiet;
  previews(tree: TreeId): readonly string[] | null;
  end(choice: PickedTree | null): void;
}

/** Opens the list of conversations on the alternate screen. */
export async function openPicker(parts: PickerParts): Promise<Picker> {
  let end: (choice: PickedTree | null) => void = () => undefined;
  const ended = new Promise<PickedTree | null>((resolve) => {
    end = resolve;
  });
  const closing = new AbortController();
  const picked: Picked = {
    ...{ parts, state: NOTHING_PICKED, closing, end: (choice) => end(choice) },
    ...{
      reading: new AbortController(),
      searching: new AbortController(),
      typed: createQuiet(),
      answerable: createQuiet(),
    },
    previews: createPreviews(parts, { changed: () => show(picked, picked.state), signal: closing.signal }),
  };
  parts.terminal.enterScreen(({ columns, rows }) => draw(picked, { columns, rows }));
  startReading(picked);
  return { end: ended, take: (key) => take(picked, key), leave: () => leave(picked, null) };
}

function draw({ parts, state, previews }: Picked, { columns, rows }: { columns: number; rows: number }) {
  const { trees, isWhole, listed, selected, archived, query, asking, message } = state;
  const chosen = listed[selected]?.tree.id;
  const view = {
    ...{ listed, selected, archived, query, current: parts.current, total: isWhole ? trees.length : null },
    preview: chosen === undefined ? null : withHit(previews(chosen), state.found.get(chosen)?.snippet),
    message: asking === null ? message : questionRow(asking),
  };
  return drawPicker(view, rows, parts.look(columns - 1));
}

function take(picked: Picked, key: Key): Taken {
  const { closing, parts } = picked;
  if (closing.signal.aborted) return 'done';
  const outcome = pressPickerKey(picked.state, key, {
    height: pickerHeight(parts.terminal.size().rows),
    elsewhere: ({ tree }) => elsewhereOf(tree, parts.project),
  });
  show(picked, outcome.state);
  if (outcome.action !== null) detach(perform(picked, outcome.action), failureIn(picked, closing.signal));
  return 'written';
}

function show(picked: Picked, next: Picking): void {
  picked.state = next;
  const { answerable, closing, parts } = picked;
  if (closing.signal.aborted) return;
  answerable.stop();
  getReady(answerable, next.asking, () => {
    const { asking } = picked.state;
    show(picked, { ...picked.state, asking: asking === null ? null : { ...asking, isReady: true } });
  });
  parts.terminal.redrawScreen();
}

function failureIn(picked: Picked, signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) show(picked, { ...picked.state, message: reasonOf(error) });
  };
}

function leave(picked: Picked, choice: PickedTree | null): void {
  for (const one of [picked.closing, picked.reading, picked.searching]) one.abort();
  for (const one of [picked.typed, picked.answerable]) one.stop();
  picked.parts.terminal.leaveScreen();
  picked.end(choice);
}

async function perform(picked: Picked, action: PickerAction): Promise<void> {
  switch (action.kind) {
    case 'leave':
      return leave(picked, null);
    case 'search':
      return searchSoon(picked);
    case 'read':
      startReading(picked);
      return searchSoon(picked);
    case 'choose': {
      const { tree, isArchived } = action.choice;
      if (isArchived) await picked.parts.client.call('loom.tree_restore', { tree });
      return leave(picked, action.choice);
    }
  }
}

function startReading(picked: Picked): void {
  picked.reading.abort();
  picked.reading = new AbortController();
  const { signal } = picked.reading;
  detach(read(picked, signal), failureIn(picked, signal));
}

async function read(picked: Picked, signal: AbortSignal): Promise<void> {
  const { client, project } = picked.parts;
  for await (const trees of readConversations({ client, archived: picked.state.archived, project, signal })) {
    if (signal.aborted) return;
    show(picked, relisted(picked.state, { trees: listedByFolder(trees, project) }));
  }
  show(picked, relisted(picked.state, { isWhole: true }));
}

function searchSoon(picked: Picked): void {
  picked.searching.abort();
  picked.searching = new AbortController();
  picked.typed.stop();
  const { signal } = picked.searching;
  const query = picked.state.query.trim();
  if (query === '') return;
  const search = async (): Promise<void> => {
    const found = await findSaid(picked.parts.client, query, signal);
    if (!signal.aborted) show(picked, relisted(picked.state, { found }));
  };
  picked.typed.after(SEARCH_AFTER_MS, () => detach(search(), failureIn(picked, signal)));
}

function elsewhereOf(tree: { project: string | null }, here: string): string | null {
  const folder = workFolder(tree, here);
  return folder === here ? null : shownFolder(folder);
}

/** What was found stands above the end of the conversation. */
function withHit(lines: readonly string[] | null, snippet: string | undefined): readonly string[] | null {
  return snippet === undefined ? lines : [`… ${snippet.replace(/\s+/g, ' ')} …`, ...(lines ?? [])];
}

/** The ends of conversations, each fetched when it is first shown. */
function createPreviews(
  { client, position }: PickerParts,
  { changed, signal }: { changed(): void; signal: AbortSignal },
): (tree: TreeId) => readonly string[] | null {
  const known = new Map<TreeId, readonly string[] | null>();
  const fetch = async (tree: TreeId): Promise<void> => {
    const lines = await previewOf(client, tree, position(tree)).catch((error: unknown) => [reasonOf(error)]);
    known.set(tree, lines);
    if (!signal.aborted) changed();
  };
  return (tree) => {
    const lines = known.get(tree);
    if (lines !== undefined) return lines;
    if (known.size >= PREVIEWS_MAX) known.clear();
    known.set(tree, null);
    detach(fetch(tree), () => undefined);
    return null;
  };
}
