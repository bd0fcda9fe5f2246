import { detach, neverFails } from '../../base/detach.js';
import type { AgentEvent } from '../../protocol/turn.js';
import type { RunningTurn } from '../turn/running_turn.js';

/** After these a turn may have new nodes; not before its first request is on its way, which must not wait for exports. */
const WRITTEN_AFTER = new Set<AgentEvent['kind']>([
  ...(['request_started', 'step_committed', 'context_compacted', 'input_taken', 'usage_counted'] as const),
  ...(['turn_parked', 'turn_ended'] as const),
]);

/** Calls back whenever an export of a turn may be behind; returns what ends that. */
export function onProgress(turn: RunningTurn, listener: (event: AgentEvent) => void): () => void {
  return turn.follow({
    emit: (event) => {
      if (WRITTEN_AFTER.has(event.kind)) listener(event);
    },
    hasRoom: () => false,
  });
}

/** What is written to each file, in order: two turns may share one. */
export interface ExportQueue {
  /** Runs the work of a writer after what waits for the file. What that writer has waiting already stands for it. Work never fails. */
  add(file: string, writer: string, work: () => Promise<void>): void;
  /** Resolves when all that was added for a file is done. */
  done(file: string): Promise<void>;
  allDone(): Promise<void>;
}

export function createExportQueue(): ExportQueue {
  const files = new Map<string, { last: Promise<void>; waiting: Set<string> }>();
  return {
    add(file, writer, work) {
      const queue = files.get(file) ?? { last: Promise.resolve(), waiting: new Set<string>() };
      files.set(file, queue);
      if (queue.waiting.has(writer)) return;
      queue.waiting.add(writer);
      const done = queue.last.then(() => {
        queue.waiting.delete(writer);
        return work();
      });
      queue.last = done;
      const forget = done.then(() => {
        if (queue.last === done) files.delete(file);
      });
      detach(forget, neverFails);
    },
    done: (file) => files.get(file)?.last ?? Promise.resolve(),
    async allDone() {
      await Promise.all([...files.values()].map(({ last }) => last));
    },
  };
}
