import { spawn } from 'node:child_process';
import { environment } from '../../hub/config/config.js';

/** Programs that open a link in the person's browser, by platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  linux: ['xdg-open', 'wslview', 'sensible-browser'],
};

/** Opens a link in the person's browser; false where nothing here can. */
export async function openBrowser(link: string): Promise<boolean> {
  for (const program of openers()) if (await runs(program, link)) return true;
  return false;
}

/** A terminal over SSH has no browser beside it, one without a display none but that of the Windows around it. */
function openers(): readonly string[] {
  const own = environment('BROWSER');
  if (own !== undefined) return [own];
  if (environment('SSH_CONNECTION') !== undefined) return [];
  const hasDisplay = environment('DISPLAY') !== undefined || environment('WAYLAND_DISPLAY') !== undefined;
  return process.platform === 'linux' && !hasDisplay ? ['wslview'] : (OPENERS[process.platform] ?? []);
}

/** Whether a program could be started and did not fail at once. */
function runs(program: string, link: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [link], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    // A browser that this starts stays, and outlives this process.
    child.once('spawn', () => {
      child.unref();
      setTimeout(() => resolve(true), STARTED_AFTER_MS).unref();
    });
  });
}

const STARTED_AFTER_MS = 1_000;
