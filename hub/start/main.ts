import { randomUUID } from 'node:crypto';
import { closeSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { openLoom } from '../../loom/loom_plugin.js';
import { detach, neverFails } from '../base/detach.js';
import { HubError } from '../base/error.js';
import { hintText } from '../base/hint.js';
import { closeInherited } from '../base/inherited_descriptors.js';
import { hubArguments } from '../config/config.js';
import { type RunningHub, runHub } from './run_hub.js';

// The starter reads from this descriptor whether the hub is ready.
const READY_FD = 3;
const STDERR_FD = 2;
const TOOLS = new URL('./tools.js', import.meta.url);

/** Runs a hub until it ends. */
async function main(): Promise<void> {
  const { home, listen, ready } = hubArguments();
  process.umask(0o077);
  closeInherited(ready ? READY_FD : STDERR_FD);
  process.title = `cognition hub ${home}`;
  // Pages and messages of megabytes come and go: by itself each thread would let them fill a heap of hundreds.
  setFlagsFromString('--heap-growing-percent=20');
  try {
    const hub = await runHub({ home, listen, clock: Date.now, toolsEntry: fileURLToPath(TOOLS), openPlugins });
    handleSignals(hub);
    if (ready) report({ ready: true });
    else console.error(`the hub of ${home} is ready`);
    await hub.ended;
    process.exit(0);
  } catch (error) {
    const hubError =
      error instanceof HubError
        ? error
        : new HubError('internal', `the hub could not start: ${String(error)}`, { cause: error });
    if (!(error instanceof HubError)) console.error(error);
    if (ready) report({ error: { ...hubError.data, message: hubError.message } });
    else
      console.error(
        hubError.hint === null ? hubError.message : `${hubError.message}\nhint: ${hintText(hubError.hint)}`,
      );
    process.exit(1);
  }
}

const openPlugins: Parameters<typeof runHub>[0]['openPlugins'] = async ({ paths }) => {
  const loom = await openLoom({
    paths,
    clock: Date.now,
    newId: randomUUID,
    workers: {
      writer: new URL('./loom_writer.js', import.meta.url),
      reader: new URL('./loom_reader.js', import.meta.url),
      copier: new URL('./loom_copier.js', import.meta.url),
    },
  });
  return { plugins: [loom], storage: loom };
};

function handleSignals(hub: RunningHub): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => detach(hub.end(`${signal} was sent`), neverFails));
  }
  // The terminal that started the hub may be closed.
  process.on('SIGHUP', () => undefined);
  process.on('uncaughtExceptionMonitor', (error) => {
    hub.log(
      'error',
      `the hub dies of ${error.name}: ${error.stack?.split('\n').slice(1, 11).join('\n') ?? 'no stack'}`,
    );
  });
}

function report(line: object): void {
  try {
    writeSync(READY_FD, `${JSON.stringify(line)}\n`);
    closeSync(READY_FD);
  } catch {
    // The starter is gone; the hub runs on for other clients.
  }
}

await main();
