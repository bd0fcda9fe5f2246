import { calling, callOf, type DemoResult, type DemoStep, type DemoTask, failing, NOTE, saying } from './step.js';
import { STORY } from './story.js';

/** Something that the demo model can do. */
interface Ability {
  /** The sentence that help names for it. */
  say: string;
  /** What a person sees then. */
  shows: string;
  pattern: RegExp;
  step(task: DemoTask, match: RegExpExecArray): DemoStep;
}

// A name that no file of a person has.
const PROGRAM = 'hello-demo.sh';
const FIRST_LINE = '#!/bin/sh\n';
const RUN_PROGRAM = `sh ${PROGRAM}`;
const PLAN_FILE = '.cognition/plan.md';
/** What stands before the program's greeting in a plan. */
const SAYS = 'which says: ';
const GREETING = 'Hello, tree!';
/** Of the demo model under this name programs have a fault, which it does not look for. */
const HASTY = 'hasty';
const GREETING_LENGTH_MAX = 60;
const STORY_PAUSE_MS = 25;
const COUNT = 'for n in 1 2 3 4 5 6; do echo $n; sleep 1; done';
/** Does no harm where there is no sandbox. */
const LOOK_AROUND = [
  'for place in /etc /usr .; do [ -w $place ] && echo "$place: can be written" || echo "$place: read-only"; done',
  '[ -e ~/.ssh ] && echo "ssh keys: there" || echo "ssh keys: none to be seen"',
  'echo "network: $(tail -n +3 /proc/net/dev | cut -d: -f1 | xargs)"',
].join('\n');

const ABILITIES: readonly Ability[] = [
  {
    say: 'tell me a story',
    shows: 'a longer answer, word by word, with code in it; Esc ends it',
    pattern: /^tell (?:me )?a (?:long )?story/i,
    step: () => ({ ...saying(STORY), thinking: 'A story is wished. I know exactly one.', pauseMs: STORY_PAUSE_MS }),
  },
  {
    say: 'write a program',
    shows: `makes ${PROGRAM} and runs it`,
    pattern: /^write (?:me )?a program/i,
    step: (task) => writeProgram(task, GREETING),
  },
  {
    say: 'change the program',
    shows: 'adds a line to it, which is shown as a change',
    pattern: /^change the program/i,
    step: changeProgram,
  },
  {
    say: 'count slowly',
    shows: 'a command that takes six seconds; write something meanwhile, or press Esc',
    pattern: /^count slowly/i,
    step: (task) => runAndReport(task, COUNT, 'I have counted:'),
  },
  {
    say: 'try to get out',
    shows: 'what the sandbox keeps from my commands',
    pattern: /^try to get out/i,
    step: (task) => runAndReport(task, LOOK_AROUND, 'This is what a command of mine finds:'),
  },
  {
    say: 'use two sub-sessions',
    shows: 'two more of me at work at once; `/agents` lists them meanwhile',
    pattern: /^use (?:two )?sub-?sessions/i,
    step: useSubSessions,
  },
  {
    say: 'make a plan',
    shows: 'in plan mode (Shift-Tab) I ask you something and write a plan; `/execute` carries it out',
    pattern: /^make a plan/i,
    step: makePlan,
  },
  {
    say: 'fail',
    shows: 'how a failure looks; `fail overloaded` is one that is tried again',
    pattern: /^fail(?: (\w+))?[.!]?$/i,
    step: (_, [, kind = 'rejected']) => ({ ...saying(''), failure: failing(kind.toLowerCase()) }),
  },
];

const HELP = /^(?:help|what can you do)[\s?.!]*$/i;
const CARRY_OUT = /^carry out the plan/i;
const FILES = ['list the files', 'show me README.md', 'how many lines has README.md?', 'search for tree in docs'];

/** The next step for a question that it has an ability for; null when it has none, or a call has failed. */
export function abilityStep(task: DemoTask): DemoStep | null {
  const { question, results } = task;
  if (HELP.test(question)) return saying(helpText());
  // A failed call is reported as it is.
  if (results.some(({ failed }) => failed)) return null;
  if (CARRY_OUT.test(question)) return writeProgram(task, plannedGreeting(task.systemPrompt));
  for (const { pattern, step } of ABILITIES) {
    const match = pattern.exec(question);
    if (match !== null) return withTools(step(task, match), task);
  }
  return null;
}

function helpText(): string {
  const files = FILES.map((say) => `- \`${say}\``);
  const others = ABILITIES.map(({ say, shows }) => `- \`${say}\`: ${shows}`);
  return [
    'I am the demo model: no AI, only a few rules, and nothing leaves this machine. I know these sentences, and little else:',
    [...files, '- `` run `date` ``, or another command in backticks'].join('\n'),
    others.join('\n'),
    'Whatever I have said, `/fork` and say something else instead; `/tree` shows both.',
  ].join('\n\n');
}

/** The same step, or a remark about the tool that it lacks. */
function withTools(step: DemoStep, { tools }: DemoTask): DemoStep {
  const missing = step.calls.find(({ tool }) => !tools.has(tool))?.tool;
  return missing === undefined ? step : saying(`I have no ${missing} here, so I cannot do that. ${NOTE}`);
}

function runAndReport({ steps, results }: DemoTask, command: string, words: string): DemoStep {
  return steps === 0 ? calling('', callOf('bash', { command })) : saying(`${words}\n\n${quotedResults(results)}`);
}

function writeProgram({ steps, results, model }: DemoTask, greeting: string): DemoStep {
  // In a race somebody has to lose.
  const quote = model === HASTY ? '' : "'";
  const content = `${FIRST_LINE}# Written by the demo model of cognition.\necho '${greeting}${quote}\n`;
  if (steps === 0) return calling('I write it.', callOf('write', { path: PROGRAM, content }));
  if (steps === 1 && model === HASTY) return saying(`${PROGRAM} is written. I am sure that it works.`);
  if (steps === 1) return calling('Now I try it.', callOf('bash', { command: RUN_PROGRAM }));
  return saying(
    `${PROGRAM} is written, and says:\n\n${quotedResults(results)}\n\nSay \`change the program\` to see a change.`,
  );
}

function changeProgram({ steps, results }: DemoTask): DemoStep {
  const change = { path: PROGRAM, old_text: FIRST_LINE, new_text: `${FIRST_LINE}echo 'One line more.'\n` };
  if (steps === 0) return calling('', callOf('edit', change));
  if (steps === 1) return calling('', callOf('bash', { command: RUN_PROGRAM }));
  return saying(`${PROGRAM} is changed, and says:\n\n${quotedResults(results)}`);
}

function useSubSessions({ steps, results }: DemoTask): DemoStep {
  const tasks = ['count slowly', 'list the files'];
  if (steps === 0) {
    return calling('I give two parts of it away.', ...tasks.map((task) => callOf('spawn_session', { task })));
  }
  const answers = results.map(({ text }, index) => `${index + 1}. ${text.split('\n')[0]}`);
  return saying(`Both are done. Their answers begin with:\n\n${answers.join('\n')}`);
}

function makePlan({ steps, results, tools }: DemoTask): DemoStep {
  if (!tools.has('ask_user')) {
    return saying('I make plans in plan mode only. Switch it on with Shift-Tab or `/plan`, and say it again.');
  }
  const question = { question: 'What shall the program say?', options: ['Hello!', 'Bonjour !', 'Guten Tag!'] };
  if (steps === 0) return calling('', callOf('ask_user', question));
  if (steps === 1) return calling('', callOf('write', { path: PLAN_FILE, content: planFor(results[0]?.text ?? '') }));
  return saying(`The plan stands in ${PLAN_FILE}. Carry it out with \`/execute\`, or change it with \`/edit-plan\`.`);
}

function planFor(answer: string): string {
  return `# Plan\n\n1. Write ${PROGRAM}, ${SAYS}${greetingFrom(answer)}\n2. Run it, to see that it does.\n`;
}

function plannedGreeting(systemPrompt: string): string {
  const [, line = ''] = systemPrompt.split(SAYS);
  return greetingFrom(line.split('\n')[0] ?? '');
}

/** The person's greeting, without characters that mean something to a shell. */
function greetingFrom(text: string): string {
  const plain = text.replaceAll(/[^\p{L}\p{N} ,.!?-]/gu, ' ').trim();
  return plain === '' ? GREETING : plain.slice(0, GREETING_LENGTH_MAX);
}

function quotedResults(results: readonly DemoResult[]): string {
  return `\`\`\`\n${results.map(({ text }) => text).join('\n')}\n\`\`\``;
}
