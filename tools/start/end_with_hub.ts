import { Worker } from 'node:worker_threads';

/** Time to end in order: less would cut off commands that are just being stored. */
const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 2_000;

const WATCH = `
const { parent, graceMs, everyMs } = require('node:worker_threads').workerData;
const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs);
}, everyMs);
`;

/** Kills this process some time after the process that started it is gone, even when its main thread hangs. */
export function endWithHub({ graceMs = GRACE_MS, everyMs = LOOK_EVERY_MS } = {}): void {
  const workerData = { parent: process.ppid, graceMs, everyMs };
  const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8, stackSizeMb: 1 };
  new Worker(WATCH, { eval: true, workerData, resourceLimits }).unref();
}
