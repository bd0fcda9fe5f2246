import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { WorkerFacts } from '../../hub/protocol/methods/task_methods.js';
import type { Input } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { projectFolder } from '../position/project_folder.js';
import { checkTurn } from '../turn/run_turn.js';
import { LIMIT_VALUES, readTurnOptions, type TurnOptions } from '../turn/turn_options.js';
import { chosenRemote } from './remotes.js';

/** What a worker may let a model do: nobody is there to be asked. */
export const WORKER_LEVELS = ['readonly', 'minimal', 'orchestrator'] as const;
export type WorkerLevel = (typeof WORKER_LEVELS)[number];

const AT_ONCE_MAX = 16;

export const WORKER_FLAGS = [
  { name: 'net', short: null, description: 'its commands may use the network' },
  { name: 'web', short: null, description: 'it may read pages of the internet' },
  { name: 'no-spawn', short: null, description: 'it cannot start sub-sessions' },
] as const;

export const WORKER_VALUES = [
  { name: 'remote', value: 'name', choices: null, description: 'whose tasks; the only remote when left out' },
  { name: 'project', value: 'folder', choices: null, description: 'the folder that is worked on; this one without' },
  {
    name: 'name',
    value: 'name',
    choices: null,
    description: 'what the project is called there; its folder’s name without',
  },
  { name: 'level', value: 'level', choices: WORKER_LEVELS, description: 'the most that a task may do' },
  { name: 'at-once', value: 'number', choices: null, description: 'how many tasks at once: 4 when left out' },
  {
    ...{ name: 'for', value: 'logins', choices: null },
    description: 'whose tasks it takes, by their logins at the database; your own when left out, `*` is anybody’s',
  },
  {
    ...{ name: 'model', short: 'm', value: 'models', choices: null },
    description: 'the models that a task may ask for, the usual one first: sonnet,demo',
  },
  ...LIMIT_VALUES,
] as const;

type WorkerInput = Input<never, (typeof WORKER_FLAGS)[number]['name'], (typeof WORKER_VALUES)[number]['name']>;

/** What a worker does and may. */
export interface WorkerPlan {
  remote: string;
  /** The folder that is worked on: no task names one. */
  project: string;
  facts: WorkerFacts & { level: WorkerLevel };
  /** The usual model, by its full name. */
  model: string;
  options: TurnOptions;
}

/** How a worker is to end: after the steps that are running, or now. */
export interface Leaving {
  soon: AbortSignal;
  now: AbortSignal;
}

export async function readWorkerPlan(input: WorkerInput, context: Context): Promise<WorkerPlan> {
  const remote = chosenRemote(context, input.value('remote'));
  const project = projectAt(input.value('project') ?? '.', context);
  const { model: named, options } = { model: input.value('model'), options: await optionsFrom(input, context) };
  const names = wordsIn(named);
  const models = await Promise.all(
    (names.length === 0 ? [null] : names).map((name) => modelCalled(context, options, name)),
  );
  const level = WORKER_LEVELS.find((one) => one === input.value('level'));
  if (level === undefined) {
    throw new HubError('invalid_params', 'a worker needs a level: the most that a task of others may do here', {
      hint: `one of: --level ${WORKER_LEVELS.join(', --level ')}`,
    });
  }
  const facts = {
    ...{ id: randomUUID(), project: projectName(input.value('name') ?? basename(project)), level },
    models: [...new Set([...names, ...models])],
    people: peopleIn(input.value('for')),
    at_once: atOnceFrom(input.value('at-once')),
  };
  return { remote, project, facts, model: models[0] ?? '', options };
}

function peopleIn(text: string | undefined): WorkerFacts['people'] {
  const people = wordsIn(text);
  if (people.includes('*')) return '*';
  return people.length === 0 ? null : people;
}

function projectAt(folder: string, { cwd }: Context): string {
  const path = resolve(cwd, folder);
  if (existsSync(path)) return projectFolder(path);
  throw new HubError('not_found', `the folder ${JSON.stringify(folder)} is not there`);
}

/** What is said of a project over a remote: a word, no path. */
export function projectName(name: string): string {
  if (/^(?!\.{1,2}$)[^/\p{C}]{1,100}$/u.test(name)) return name;
  throw new HubError('invalid_params', `${JSON.stringify(name)} is no name for a project`, {
    hint: 'it has 1 to 100 characters and no slash',
  });
}

function atOnceFrom(text = '4'): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= AT_ONCE_MAX) return number;
  throw new HubError('invalid_params', `--at-once takes a number from 1 to ${AT_ONCE_MAX}, not ${text}`);
}

function wordsIn(text = ''): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ''))];
}

/** The options of every turn of the worker: those that only a person at the terminal gives are not among them. */
function optionsFrom(input: WorkerInput, context: Context): Promise<TurnOptions> {
  const isFlag = (name: string): name is 'net' | 'web' | 'no-spawn' => WORKER_FLAGS.some((flag) => flag.name === name);
  return readTurnOptions(
    {
      argument: () => undefined,
      required: () => '',
      rest: () => [],
      flag: (name) => isFlag(name) && input.flag(name),
      value: (name) => (name === 'max-cost' || name === 'max-turns' ? input.value(name) : undefined),
    },
    context,
  );
}

/** The full name of a model that can be asked, with the key that it needs. */
async function modelCalled(
  context: Context,
  { access, usual_model }: TurnOptions,
  model: string | null,
): Promise<string> {
  const params = { access, usual_model, change: model === null ? null : { model } };
  await checkTurn(context, params);
  return (await (await context.client()).call('agent.check', params)).model;
}
