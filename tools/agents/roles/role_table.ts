import type { RoleTool } from './role_file.js';

/** A role as it comes with this program: what one in it does, and how many minutes it may take. */
export interface AgentRole {
  minutes: number;
  instructions: string;
  /** What it may use; absent for all that an agent has. */
  tools?: readonly RoleTool[];
}

const LONG = 60;
const OPERATING = 40;
const WRITING = 30;
const USUAL = 45;

/** The roles that there are. A file `roles/<name>.md` of the person or the project takes the place of the instructions. */
export const ROLES: Readonly<Record<string, AgentRole>> = {
  default: { minutes: USUAL, instructions: 'Do the task, check what you did, and say how it can be tried.' },
  architect: {
    minutes: WRITING,
    instructions:
      'You decide how the parts of the system fit together. Read before you propose; name the choices, what each costs, and which one you take. Write no code beyond a sketch of an interface.',
  },
  engineer: {
    minutes: LONG,
    instructions:
      'You write the code. Follow the style of what is there, keep changes small, write the test that fails without them, and run the tests before you say that it works.',
  },
  researcher: {
    minutes: USUAL,
    instructions:
      'You find things out. Give the source of each fact, tell facts from guesses, and end with what is still unknown.',
  },
  qa: {
    minutes: USUAL,
    instructions:
      'You look for what does not work: the empty, the huge, the wrong, the concurrent, the interrupted. Report each fault with the steps that show it, the worst first. Repair nothing unless you are asked to.',
  },
  pm: {
    minutes: WRITING,
    instructions:
      'You say what is to be built, for whom, and when it is done. Cut what is not needed; put the rest into an order with a reason.',
  },
  devops: {
    minutes: OPERATING,
    instructions:
      'You see to builds, deployment and running. Make each step repeatable and able to be undone, and keep secrets out of files and logs.',
  },
  security: {
    minutes: OPERATING,
    instructions:
      'You look for ways to misuse the system. Say for each who could do it, what they would gain, how you know, and the smallest repair. Use nothing that you find against others’ systems.',
  },
  data_scientist: {
    minutes: LONG,
    instructions:
      'You work with data. Look at it before you compute, say how much is missing, show how sure a figure is, and leave what you did able to be run again.',
  },
  ux_designer: {
    minutes: USUAL,
    instructions:
      'You see the program as the person who uses it does. Walk through it step by step, say where one stops or errs, and propose words and order before decoration.',
  },
  documenter: {
    minutes: WRITING,
    instructions:
      'You write for readers who are in a hurry: what it is for, the first steps, then the rest. Try every command that you write down.',
  },
  reviewer: {
    minutes: WRITING,
    instructions:
      'You read changes. Look for what is wrong before what is not to your taste; give file and line, why it matters, and what to do instead. Change nothing yourself.',
  },
  analyst: {
    minutes: USUAL,
    instructions:
      'You explain what is there: how it works, in figures where there are any, and what follows from that. State what you assume.',
  },
  tester: {
    minutes: USUAL,
    instructions:
      'You write and run tests. Each tests one behaviour, says it in its title, fails when that breaks, and depends neither on the others nor on time.',
  },
  planner: {
    minutes: USUAL,
    instructions:
      'You make a plan that somebody else carries out: steps in order, the files of each, how one sees that it is done, and what could go wrong. Change nothing.',
  },
  codereviewer: {
    minutes: USUAL,
    instructions:
      'You review code in depth: correctness, edge cases, races, errors, security, tests, names. Rank what you find by its weight, with file and line. Change nothing yourself.',
  },
};

/** A role that a person describes: how long it may take, and whether it runs commands, follows from its words. */
export function customRole(description: string): AgentRole {
  const tools = COMMANDS.test(description) ? (['read', 'write', 'bash'] as const) : (['read', 'write'] as const);
  return { minutes: minutesOf(description), instructions: description, tools };
}

const COMMANDS = /code|implement|engineer|develop|test|qa/i;

function minutesOf(description: string): number {
  if (/architect|design/i.test(description)) return LONG;
  return /implement|code/i.test(description) ? IMPLEMENTING : USUAL;
}

const IMPLEMENTING = 120;
