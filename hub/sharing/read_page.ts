import type { InternalCaller } from '../base/internal_call.js';
import { RawJson } from '../base/plugin.js';
import type { ParsedOf, ResultOf } from '../protocol/methods/method_table.js';

type Answer = ResultOf<'loom.share_read'>;
type ToldEntry = Answer['entries'][number];

/** An entry as it is sent: its body is JSON, mostly bytes that nobody has looked into. */
export interface PageEntry {
  id: string;
  body: string | Buffer;
  own?: { id: string; body: string } | undefined;
}

export interface EntryPage extends Omit<Answer, 'entries' | 'bodies'> {
  entries: PageEntry[];
}

/** Within a text a quote would have a backslash before it, so this stands nowhere before the bodies. */
const BODIES = ',"bodies":[';

/** Reads what a remote may lack of a tree. The bodies are cut out of the answer: to parse them would cost more than all else. */
export async function readPage(
  { hub, context }: InternalCaller,
  params: ParsedOf<'loom.share_read'>,
): Promise<EntryPage> {
  const answer = await hub.call('loom.share_read', params, context);
  if (!(answer instanceof RawJson)) throw new Error('storage answers with JSON');
  const bytes = bufferOf(answer.content);
  const head = bytes.indexOf(BODIES);
  // Storage wrote it by this method's own schema.
  const told: Omit<Answer, 'bodies'> = JSON.parse(`${bytes.toString('utf8', 0, head)}}`);
  let at = head + BODIES.length;
  const cut = ({ id, bytes: length, own }: ToldEntry): PageEntry => {
    const body = bytes.subarray(at, at + length);
    at += length + 1;
    return { id, body, own };
  };
  return { ...told, entries: told.entries.map(cut) };
}

function bufferOf(content: string | Uint8Array): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
