// Runs attempts to persist, with and without the sandbox, as the user who runs it. Usage: persistence_driver.mjs <kind> <numbers>.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeOver } from '../../../tools/private_git/take_over.js';
import { createWatches } from '../../../tools/private_git/watch_files.js';
import { openModelGit } from '../../tools/private_git/open_model_git.js';
import { PERSISTENCE, type PersistenceVerdict } from './all_persistence.js';
import { PERSISTENCE_PRELUDE, type Persistence } from './persistence.js';

const [kind = '', numbers = ''] = process.argv.slice(2);
const RUN_MS_MAX = 20_000;

async function judge(attempt: Persistence): Promise<PersistenceVerdict> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'cognition-persistence-')));
  try {
    const control = runControl(join(top, 'control'), attempt);
    const { isLeft, told, said } = await runContained(join(top, 'contained'), attempt);
    const isTold = attempt.told !== null && told.some((line) => line.includes(attempt.told ?? ''));
    const reached = isTold ? 'told' : 'silent';
    return {
      ...{ name: attempt.name, control: control ? 'left' : 'not left' },
      ...{ contained: isLeft ? reached : 'prevented', said: [...told, said].join('\n').slice(0, 2_000) },
    };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

interface World {
  folder: string;
  environment: Record<string, string>;
  /** As the person, in the project. */
  run(script: string): string;
  isLeft(): boolean;
  forget(): void;
}

function makeWorld(folder: string, { before }: Persistence): World {
  const at = (name: string): string => join(folder, name);
  for (const name of ['project', 'outside', 'home']) mkdirSync(at(name), { recursive: true });
  const environment = {
    ...{ PATH: process.env.PATH ?? '', PROJECT: at('project'), OUT: at('outside'), CANARY: at('canary') },
    ...{ EVIL: at('project/evil'), HOME: at('home'), GIT_CONFIG_NOSYSTEM: '1', npm_config_update_notifier: 'false' },
  };
  const world: World = {
    ...{ folder, environment },
    run(script) {
      const given = ['-c', PERSISTENCE_PRELUDE + script];
      const { stdout, stderr } = spawnSync('bash', given, {
        env: environment,
        encoding: 'utf8',
        timeout: RUN_MS_MAX,
        killSignal: 'SIGKILL',
      });
      return `${stdout}${stderr}`;
    },
    isLeft: () => existsSync(at('canary')),
    forget: () => rmSync(at('canary'), { force: true }),
  };
  writeFileSync(at('home/.gitconfig'), '[user]\n\tname = p\n\temail = p@p\n[init]\n\tdefaultBranch = main\n');
  writeFileSync(at('project/evil'), `#!/bin/sh\ntouch ${JSON.stringify(at('canary'))}\n`, { mode: 0o755 });
  world.run('git init -q .; echo evil >.git/info/exclude; echo notes >notes; git add notes; git commit -qm first');
  world.run(before);
  return world;
}

/** The model writes as the person does. */
function runControl(folder: string, attempt: Persistence): boolean {
  const world = makeWorld(folder, attempt);
  world.run(attempt.plant);
  world.forget();
  world.run(attempt.act);
  return world.isLeft();
}

async function runContained(folder: string, attempt: Persistence) {
  const world = makeWorld(folder, attempt);
  const model = openModelGit(folder, kind === 'bubblewrap' ? 'bubblewrap' : 'util-linux');
  const watches = createWatches();
  const { project } = model;
  const names = Object.entries(world.environment).map(([name, value]) => `export ${name}=${JSON.stringify(value)}\n`);
  const before = await model.privateGit.withProject(project, (one) => watches.begin(one));
  const said = await model
    .model(`${names.join('')}${PERSISTENCE_PRELUDE}${attempt.plant}\nexit 0`)
    .catch((error: Error) => error.message);
  const told = await model.privateGit.withProject(project, async (one) => [
    ...(await watches.end(one)),
    ...(await takeOver(one).catch((error: Error) => [error.message])),
  ]);
  const isEarly = world.isLeft();
  const acted = world.run(attempt.act);
  return { isLeft: isEarly || world.isLeft(), told: [...before, ...told], said: `${said}${acted}` };
}

for (const number of numbers.split(',')) {
  const attempt = PERSISTENCE[Number(number)];
  if (attempt !== undefined) console.log(JSON.stringify(await judge(attempt)));
}
