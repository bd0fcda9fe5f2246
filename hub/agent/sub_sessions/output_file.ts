import { basename, dirname, join } from 'node:path';
import { withHeldFolder } from '../../base/disk/held_folder.js';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { BashSessionId } from '../../protocol/methods/tool_methods.js';
import { NodeId, type TreeId } from '../../protocol/node.js';
import type { Policy } from '../../protocol/policy.js';
import { readTranscript } from '../exports/transcript_file.js';

/** The longest transcript that is copied to a model's output_file. */
const TRANSCRIPT_BYTES_MAX = 8 * 1024 * 1024;

/** Where a model wants the transcript of a sub-session, and the policy for writing it. */
export interface OutputRequest {
  path: string;
  cwd: string;
  policy: Policy;
  session: BashSessionId;
  place: { tree: TreeId; node: NodeId };
  newId(): string;
  /** Whether its transcript lies in a folder that models may change, and not in the home. */
  isExposed: boolean;
}

/** A file that a transcript is copied to. */
export interface OutputFile {
  /** Copies the transcript; resolves with what went wrong, null for nothing. */
  fill(transcript: string | null): Promise<string | null>;
}

/**
 * Opens the file, which must be a new one, by writing an empty transcript. The tools write it, as they do for the model itself: the hub may write more
 * than a model, and a model can put a link in the place of a folder at any moment.
 */
export async function openOutputFile(reach: InternalCaller, wanted: OutputRequest, tree: TreeId): Promise<OutputFile> {
  const { path } = wanted;
  await refuseExisting(reach, wanted);
  const write = async (content: string): Promise<void> => {
    await callHub(reach, 'file.write', { ...toolParams(wanted), content });
  };
  await write(`${JSON.stringify({ metadata: { session_id: tree, is_sub_session: true }, entries: [] })}\n`);
  return {
    async fill(transcript) {
      try {
        if (transcript === null) return `its transcript could not be written to ${path}`;
        const read = (folder: string) => readTranscript(join(folder, basename(transcript)), TRANSCRIPT_BYTES_MAX);
        const folder = dirname(transcript);
        const text = await (wanted.isExposed ? withHeldFolder(folder, read) : read(folder));
        if (text === null) return `its transcript is too long for ${path}; it is in ${transcript}`;
        await write(text);
        return null;
      } catch (error) {
        // The answer counts for more than its transcript.
        return `its transcript could not be written to ${path}: ${error instanceof HubError ? error.message : 'it is gone'}`;
      }
    },
  };
}

function toolParams({ path, cwd, policy, session, place, newId }: OutputRequest) {
  return { id: NodeId.parse(newId()), place, append: false, call_id: null, path, cwd, policy, session };
}

/** What is there already is somebody's work, and a model that names it for a transcript has hardly meant to replace it. */
async function refuseExisting(reach: InternalCaller, wanted: OutputRequest): Promise<void> {
  const look = { ...toolParams(wanted), offset: 1, limit: 1, inside: null };
  const isTaken = await callHub(reach, 'file.read', look).then(
    () => true,
    (error: unknown) => {
      // What may not be looked at is not written either, which the writing tells.
      if (error instanceof HubError && (error.kind === 'not_found' || error.kind === 'unauthorised')) return false;
      throw error;
    },
  );
  if (!isTaken) return;
  throw new HubError('conflict', `spawn_session was not run: ${wanted.path} is there already`, {
    hint: 'name a new file for the transcript',
  });
}
