import { mkdir } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { rootOf } from '../../position/reference.js';
import { count, shortId } from '../../render/text/ids_and_counts.js';
import type { Repl, ReplCommand } from '../repl.js';
import { goTo } from '../tree/go_to.js';
import { goWithFiles } from '../tree/go_with_files.js';
import { isPlanning, refuseAtHome, setPlanning } from '../tree/plan_mode.js';

const PLANNING = 'Plan mode: from your next message on the model only looks, writes the plan, and may ask you.';
const EXECUTING = 'Plan mode is off: your next message is worked on as before.';

/** What the model is asked; the plan itself stands in its system prompt. */
const CARRY_OUT = 'Carry out the plan.';

/** Switches plan mode; resolves with a word about it. */
export async function switchPlanning(repl: Repl): Promise<string> {
  const planning = !(await isPlanning(repl));
  await setPlanning(repl, planning);
  return planning ? PLANNING : EXECUTING;
}

export const planCommand: ReplCommand = {
  name: 'plan',
  usage: '[on | off]',
  summary: 'plan mode on or off: everything is read-only but the plan, and the model may ask you',
  completes: null,
  async run(argument, repl) {
    if (argument !== '' && argument !== 'on' && argument !== 'off') {
      throw new HubError('invalid_params', `/plan takes on or off, not ${JSON.stringify(argument)}`, {
        hint: 'to say what is to be planned, say it as a message when plan mode is on',
      });
    }
    const planning = argument === '' ? !(await isPlanning(repl)) : argument === 'on';
    await setPlanning(repl, planning);
    await repl.front.show({ kind: 'text', text: `${planning ? PLANNING : EXECUTING}\n` });
  },
};

export const executeCommand: ReplCommand = {
  name: 'execute',
  usage: '',
  summary: 'carry out the plan: a new branch from the root, told the plan and nothing else',
  completes: null,
  async run(_, repl) {
    const { turnOptions, front, client } = repl;
    const here = repl.conversation();
    const { place, turns } = here;
    if (turns.current() !== null) {
      throw new HubError('conflict', 'a turn is running', { hint: 'wait for its end, or end it with /stop' });
    }
    await here.ensure();
    const { before, file, text } = await client.call('agent.plan_get', { node: place.position() });
    if (text === null || isBlank(text)) {
      const where =
        file === null ? 'this conversation belongs to no project' : `${shownPath(file)} does not exist, or is empty`;
      throw new HubError('not_found', `there is no plan: ${where}`, {
        hint: 'make one with /plan, or write it with /edit-plan',
      });
    }
    const from = place.position();
    const { level: _level, ...rest } = turnOptions.change;
    turnOptions.change = { ...rest, from: before, plan: text };
    const root = rootOf(place.tree);
    await goWithFiles(repl, { node: root, word: 'keep', go: () => place.go(root, 'here') });
    const back = `The plan of ${count(text.trimEnd().split('\n').length, 'line')} is carried out from the root. The way back: /switch ${shortId(from)}`;
    await front.show({ kind: 'text', text: `${back}\n` });
    front.update({ activity: 'Execute' });
    await repl.speaking.say(CARRY_OUT, 'now');
  },
};

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** A file of the project that one is in, as one calls it there. */
function shownPath(file: string): string {
  const within = relative(process.cwd(), file);
  return within.startsWith('..') ? file : within;
}

/** Lets the person write the plan; resolves with a word about it. */
export async function editPlan(repl: Repl): Promise<string> {
  const here = repl.conversation();
  await here.ensure();
  const { file } = await repl.client.call('agent.plan_get', { node: here.place.position() });
  if (file === null) {
    throw new HubError('not_found', 'this conversation belongs to no project, so it has no plan', {
      hint: 'start one in the folder of a project: cognition chat',
    });
  }
  await refuseAtHome(repl);
  await mkdir(dirname(file), { recursive: true });
  if (!(await repl.front.edit(file))) {
    throw new HubError('cancelled', 'the plan was not edited: no editor could be run here', {
      hint: `write ${shownPath(file)} yourself, then: /execute`,
    });
  }
  const { text } = await repl.client.call('agent.plan_get', { node: here.place.position() });
  return isBlank(text ?? '')
    ? `Nothing stands in ${shownPath(file)}: there is no plan yet.`
    : `The plan is in ${shownPath(file)}. Carry it out with: /execute`;
}

export const editPlanCommand: ReplCommand = {
  name: 'edit-plan',
  usage: '',
  summary: 'write the plan yourself, in $EDITOR',
  completes: null,
  async run(_, repl) {
    await repl.front.show({ kind: 'text', text: `${await editPlan(repl)}\n` });
  },
};

export const clearCommand: ReplCommand = {
  name: 'clear',
  usage: '',
  summary: 'go to the root: the model is told nothing of before, and nothing is deleted',
  completes: null,
  async run(_, repl) {
    const here = repl.conversation();
    const { place } = here;
    const root = rootOf(place.tree);
    const from = place.position();
    if (from === root) {
      await repl.front.show({ kind: 'text', text: 'You are at the root: there is nothing to clear.\n' });
      return;
    }
    await here.ensure();
    // A fresh start for the model, with the files as they are.
    await goWithFiles(repl, { node: root, word: 'keep', go: () => goTo(here, root) });
    await repl.front.show({ kind: 'note', text: `(nothing was deleted. The way back: /switch ${shortId(from)})` });
  },
};
