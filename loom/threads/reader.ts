import { parentPort, workerData } from 'node:worker_threads';
import { createHiddenCache } from '../read/archived_descendants.js';
import { createPathCache } from '../read/path_cache.js';
import type { ReaderMessage, ReaderOptions, ReaderReply } from '../read/read_methods.js';
import { createSoundNodes } from '../read/sound_nodes.js';
import { openSearchIndex } from '../search/index_file.js';
import { openStore } from '../store/store.js';
import { buffersOf, toPosted } from './long_replies.js';
import { lowerPriority } from './low_priority.js';
import { createScheduler } from './read_scheduler.js';

// The reading thread: it serves reads on its own connection, which sees what is committed.
const options: ReaderOptions = workerData;
const port = parentPort;
if (port === null) throw new Error('the reader is a worker thread');
if (options.isForChecks) lowerPriority();

const store = openStore({ path: options.database, access: 'read', synchronous: 'off' });
const search = openSearchIndex(options.searchIndex);
const paths = createPathCache();
const hidden = createHiddenCache();
const damage = { newest: null };
const sound = createSoundNodes();
const scheduler = createScheduler({ store, search, paths, hidden, sound, damage, outputs: options.outputs }, post);

function post(reply: ReaderReply): void {
  const posted = toPosted(reply);
  port?.postMessage(posted, buffersOf([posted]));
}

port.on('message', (message: ReaderMessage) => scheduler.accept(message));
