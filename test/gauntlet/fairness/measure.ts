import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homePaths } from '../../../hub/config/config.js';
import { knownSocket } from '../../../hub/home/socket_path.js';
import type { TestHub } from '../../support/hub.js';
import { startScript } from '../processes.js';

/** The loads of `load.mjs` of which the suite has a share. */
export const IN_SUITE = ['notifications', 'skeletons', 'unread', 'unfinished'];

/** All of them. */
export const LOADS = [
  ...IN_SUITE,
  ...['discover', 'batches', 'watchers', 'dribble', 'pings', 'large', 'nodes', 'appends', 'searches', 'exports'],
  ...['files', 'connects'],
];

/** What another client waited under a load, in milliseconds, and the hub's peak of memory. */
export interface Measured {
  load: string;
  p50: number;
  p99: number;
  max: number;
  /** The method that the longest wait was for. */
  slowest: string;
  hubMegabytes: number;
}

export interface MeasureOptions {
  hub: TestHub;
  tree: string;
  /** How many rounds of three calls the other client makes. */
  rounds: number;
}

/** Measures another client while a process of its own makes a load; null for none. */
export async function measure(load: string | null, { hub, tree, rounds }: MeasureOptions): Promise<Measured> {
  const pid = await hub.pid();
  resetPeak(pid);
  const socket = knownSocket(homePaths(hub.home)) ?? '';
  const hungry = load === null ? null : startScript('fairness/load.mjs', [load, socket, tree, dirname(hub.home)]);
  await hungry?.says('begun');
  const other = startScript('fairness/other.mjs', [hub.home, tree, tree, String(rounds)]);
  const { code, stdout, stderr } = await other.ended;
  const hubMegabytes = Math.round(peakBytes(pid) / 1e6);
  hungry?.child.kill('SIGKILL');
  await hungry?.ended;
  if (code !== 0) throw new Error(`under the load ${load} another client failed: ${stderr}`);
  return { load: load ?? 'nothing', ...figures(JSON.parse(stdout)), hubMegabytes };
}

function figures(took: Record<string, number[]>): Omit<Measured, 'load' | 'hubMegabytes'> {
  const all = Object.values(took)
    .flat()
    .sort((a, b) => a - b);
  const at = (share: number): number => all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0;
  const [slowest = ''] = Object.entries(took).reduce((worst, one) =>
    Math.max(...one[1]) > Math.max(...worst[1]) ? one : worst,
  );
  return { p50: at(0.5), p99: at(0.99), max: at(1), slowest };
}

/** The peak memory of a process (Linux). */
export function peakBytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function resetPeak(pid: number): void {
  writeFileSync(join('/proc', String(pid), 'clear_refs'), '5');
}

export function row({ load, p50, p99, max, slowest, hubMegabytes }: Measured): string {
  const ms = (value: number): string => value.toFixed(1).padStart(8);
  return `${load.padEnd(14)} p50 ${ms(p50)}  p99 ${ms(p99)}  max ${ms(max)} ms (${slowest})  hub ${hubMegabytes} MB`;
}
