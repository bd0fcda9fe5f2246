import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Look } from '../look/look.js';
import { columns } from '../text/columns.js';
import { count, formatBytes } from '../text/ids_and_counts.js';

export type Health = ResultOf<'health.check'>;

/** The state of the hub, a fact per line. */
export function renderHealth(health: Health, look: Look): string {
  const state = health.status === 'ok' ? 'runs' : 'runs, but only reads: a write to disk failed; restart it';
  const rows = [
    ['hub', state],
    ['version', `${health.version} (protocol ${health.protocol}, SQLite ${health.sqlite})`],
    ['process', String(health.pid)],
    ['since', formatDuration(health.uptime_ms)],
    ['memory', formatBytes(health.memory_bytes)],
    ['clients', `${count(health.connections, 'connection')}, ${health.busy === 0 ? 'idle' : `${health.busy} at work`}`],
    ['home', health.home],
    ['endpoint', health.endpoint],
    ...(health.listen === null ? [] : [['listens on', health.listen]]),
  ];
  return columns(rows, look)
    .map((line) => `${line}\n`)
    .join('');
}

/** A length of time in its two largest units. */
function formatDuration(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([number]) => number > 0);
  const largest = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2);
  return largest.map(([number, unit]) => `${number} ${unit}`).join(' ');
}
