import { readFile, stat } from 'node:fs/promises';
import { asked, type Reach } from '../../context/reach.js';
import { HubError } from '../../error.js';
import { NodeId, type TreeId } from '../../protocol/node.js';
import type { Policy } from '../../protocol/policy.js';

/** The longest transcript that is put where a model wants it. */
const TRANSCRIPT_BYTES_MAX = 8 * 1024 * 1024;

/** Where a model wants the transcript of a sub-session, and what it may write. */
export interface OutputPlace {
  path: string;
  cwd: string;
  policy: Policy;
  place: { tree: TreeId; node: NodeId };
  newId(): string;
}

/** A file that a transcript goes to. */
export interface OutputFile {
  /** Puts it there; resolves with what went wrong, null for nothing. */
  fill(transcript: string | null): Promise<string | null>;
}

/**
 * Opens the file by writing an empty transcript. The tools write it, as they do for the model itself: the hub may write more
 * than a model, and a model can put a link in the place of a folder at any moment.
 */
export async function openOutputFile(reach: Reach, wanted: OutputPlace, tree: TreeId): Promise<OutputFile> {
  const { path, cwd, policy, place, newId } = wanted;
  const write = async (content: string): Promise<void> => {
    const about = { id: NodeId.parse(newId()), place, append: false, call_id: null };
    await asked(reach, 'file.write', { ...about, path, cwd, policy, content });
  };
  await write(`${JSON.stringify({ metadata: { session_id: tree, is_sub_session: true }, entries: [] })}\n`);
  return {
    async fill(transcript) {
      try {
        if (transcript === null) return `its transcript could not be written to ${path}`;
        const { size } = await stat(transcript);
        if (size > TRANSCRIPT_BYTES_MAX) return `its transcript is too long for ${path}; it is in ${transcript}`;
        await write(await readFile(transcript, 'utf8'));
        return null;
      } catch (error) {
        // The answer counts for more than its transcript.
        return `its transcript could not be written to ${path}: ${error instanceof HubError ? error.message : 'it is gone'}`;
      }
    },
  };
}
