import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import { detach, neverFails } from '../../../hub/base/detach.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { TurnReason } from '../../../hub/protocol/turn.js';
import type { BlockChange, DisplayCall } from '../../display/block.js';
import { clean } from '../../render/text/clean.js';
import { runBeside } from '../../turn/key_command.js';
import type { DisplayEvent, Front, FrontAction, TokensCounted } from '../front/front.js';
import { answerChunk, fenced, thoughtChunk, updatesOf } from './session_updates.js';

/** What a prompt has come to so far. */
export interface PromptRecord {
  ended: TurnReason | null;
  failure: { message: string; hint: string | null } | null;
  /** Null when nothing was counted. */
  tokens: TokensCounted | null;
}

/** Shows a conversation in an editor, as updates of its session. */
export interface AcpFront extends Front {
  /** Begins a new record. A failure of a `command` is shown as what it prints. */
  begin(what: 'message' | 'command'): void;
  record(): PromptRecord;
}

export interface AcpFrontParts {
  cwd: string;
  /** Whether the editor shows notices apart from the conversation. */
  hasNotices: boolean;
  /** Resolves when there is room for more. */
  send(update: SessionUpdate): Promise<void>;
}

const COLUMNS = 100;
const NO_RECORD: PromptRecord = { ended: null, failure: null, tokens: null };

export function acpFront({ cwd, hasNotices, send }: AcpFrontParts): AcpFront {
  let record = NO_RECORD;
  let isCommand = false;
  const showBlock = blockOutput(cwd, send);
  const note = (text: string): Promise<void> =>
    hasNotices
      ? send({ sessionUpdate: 'notice', severity: 'info', title: clean(text).trim() || '…' })
      : send(thoughtChunk(`${text}\n\n`));

  async function show(event: DisplayEvent): Promise<void> {
    switch (event.kind) {
      case 'block_grew':
      case 'block_ended':
      case 'block_started':
      case 'block_restarted':
      case 'call_waits':
        return showBlock(event);
      case 'text':
        return send(answerChunk(null, commandText(event.text)));
      case 'note':
        return note(event.text);
      case 'failure':
        if (isCommand) return send(answerChunk(null, failureText(event)));
        record = { ...record, failure: record.failure ?? event };
        return;
      // Questions are asked of the editor when the turn waits for them.
      case 'question':
      case 'left':
      case 'typed_line':
        return;
    }
  }

  return {
    ...WITHOUT_INPUT,
    begin(what) {
      record = NO_RECORD;
      isCommand = what === 'command';
    },
    record: () => record,
    show,
    update({ hub, ended, tokens }) {
      if (ended !== undefined) record = { ...record, ended };
      if (tokens !== undefined) record = { ...record, tokens };
      if (hub != null) detach(note(`(${hub})`), neverFails);
    },
    giveBack: (text) => note(`(not sent: ${text.length > 60 ? `${text.slice(0, 60)}…` : text})`),
  };
}

const WITHOUT_INPUT = {
  attended: true,
  isAppendOnly: true,
  columns: () => COLUMNS,
  rows: () => Number.POSITIVE_INFINITY,
  actions: noActions,
  copy: () => false,
  edit: async () => false,
  page: async () => false,
  chooseConversation: () => false,
  runListened: runBeside,
  treeChanged: () => undefined,
  close: async () => undefined,
};

/** Prompts come as requests of their own. */
async function* noActions(): AsyncGenerator<FrontAction> {
  // none
}

function failureText({ message, hint }: { message: string; hint: string | null }): string {
  return `${message}${hint === null ? '' : `\n\nhint: ${hint}`}\n\n`;
}

/** What a command prints, as Markdown: what is more than a sentence is aligned. */
function commandText(text: string): string {
  const isBlock = text.trim().includes('\n');
  return isBlock ? `${fenced(text)}\n\n` : `${text.trim()}\n\n`;
}

type Send = AcpFrontParts['send'];

/** Sends the changes of blocks. */
function blockOutput(cwd: string, send: Send): (change: BlockChange) => Promise<void> {
  const printed = createPrinted((block) => sendAll({ kind: 'block_grew', block, added: '' }));
  /** Thoughts that came piece by piece. */
  const thought = new Set<NodeId>();
  const sendAll = async (change: BlockChange): Promise<void> => {
    await Promise.all(updatesOf(change, cwd).map(send));
  };
  return async (change) => {
    if (change.kind === 'block_grew') {
      const { block } = change;
      if (block.kind === 'call') return printed.grew(block);
      if (block.kind === 'thinking') thought.add(block.id);
    } else if (change.kind === 'block_ended') {
      const { block } = change;
      printed.ended(block.id);
      if (block.kind === 'thinking' && !thought.has(block.id)) return send(thoughtChunk(block.text));
    }
    return sendAll(change);
  };
}

interface Printed {
  grew(block: DisplayCall): Promise<void>;
  ended(id: NodeId): void;
}

/** Each update has all that a call has printed: while one is being sent only the newest waits. */
function createPrinted(send: (block: DisplayCall) => Promise<void>): Printed {
  const waiting = new Map<NodeId, DisplayCall | null>();
  return {
    async grew(block) {
      const isSending = waiting.has(block.id);
      waiting.set(block.id, block);
      if (isSending) return;
      for (let next = waiting.get(block.id); next != null; next = waiting.get(block.id)) {
        waiting.set(block.id, null);
        await send(next);
      }
      waiting.delete(block.id);
    },
    ended: (id) => {
      waiting.delete(id);
    },
  };
}
