import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HubError } from '../../hub/base/error.js';
import { hintText } from '../../hub/base/hint.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Context } from '../command_line/command_context.js';
import { reasonOf } from '../output/failure.js';
import type { Check } from '../render/reports/doctor_report.js';
import { count, formatBytes } from '../render/text/ids_and_counts.js';
import { fail, ok, warn } from './doctor_verdicts.js';

const BASH_MS_MAX = 10_000;

type ToolsReport = ResultOf<'tools.check'>;

/** Looks at what commands, files, pages and queries stand on. */
export async function checksOfTools(context: Context): Promise<Check[]> {
  return [await checkBash(), ...(await checkTools(context)), checkDatabases(context)];
}

async function checkBash(): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)('bash', ['--version'], { timeout: BASH_MS_MAX });
    return ok('bash', /version (\S+)/.exec(stdout)?.[1] ?? 'of an unknown version');
  } catch (error) {
    return fail('bash', reasonOf(error), 'install bash: exec runs every command in it');
  }
}

async function checkTools(context: Context): Promise<Check[]> {
  try {
    const client = await context.client();
    const report = await client.call('tools.check', {});
    const facts = [
      `process ${report.pid}`,
      formatBytes(report.memory_bytes),
      `${count(report.running, 'command')} running`,
    ];
    return [ok('tools', facts.join(', ')), checkSandbox(report)];
  } catch (error) {
    const hint = error instanceof HubError && error.hint !== null ? hintText(error.hint) : null;
    return [fail('tools', reasonOf(error), hint ?? 'cognition hub logs')];
  }
}

/** A sandbox that works is well, even where there is a better one: then it is told how to get that. */
function checkSandbox({ sandbox: { kind, holds, problem, hint } }: ToolsReport): Check {
  const why = problem === null ? '' : `; ${problem}`;
  if (kind === 'none') return warn('sandbox', `none works here${why}`, hint);
  return { ...ok('sandbox', `${kind}: ${count(holds.length, 'way')} out tried, all closed${why}`), fix: hint, holds };
}

function checkDatabases({ preferences }: Context): Check {
  const names = [...preferences.connections.keys()];
  return ok('databases', names.length === 0 ? 'none is configured' : names.join(', '));
}
