import * as z from 'zod';
import { TreeName } from '../../protocol/node.js';
import { RoleName } from '../../protocol/outside_agent.js';

const name = z.string().min(1).max(400);
const text = z.string().min(1).max(1_048_576);
const session = TreeName.describe('a name of your choice: the same one goes on where it was');

/** What a model may be asked to give where it may have others work. */
export const OTHER_TOOL_INPUTS = {
  work_with: z.object({
    agent: name.describe('claude, codex … or a model'),
    task: text.describe('all that it needs to know'),
    role: RoleName.optional().describe('of an agent: reviewer, engineer …'),
    session_id: session.optional(),
  }),
  consult_with: z.object({
    model: name.describe('such as sonnet or openai/gpt-5.2'),
    question: text.describe('all that it needs to know'),
    session_id: session.optional(),
  }),
  group_think: z.object({
    models: z.array(name).min(1).max(8).describe('names of models'),
    question: text.describe('all that they need to know'),
    rounds: z.int().min(1).max(5).optional().describe('2 when left out'),
  }),
  list_sessions: z.object({ limit: z.int().positive().max(100).optional().describe('20 when left out') }),
  describe_session: z.object({ session_id: TreeName.describe('its name') }),
  search_project_history: z.object({ query: z.string().min(1).max(1_000).describe('words that all occur') }),
  count_project_tokens: z.object({
    paths: z.array(z.string().min(1).max(4_096)).max(100).optional().describe('all of it when left out'),
  }),
};

export const OTHER_TOOL_DESCRIPTIONS: Record<keyof typeof OTHER_TOOL_INPUTS, string> = {
  work_with: 'Lets another agent or model work in the project and returns its answer.',
  consult_with: 'Asks another model, which may read the project and changes nothing.',
  group_think: 'Has several models answer in rounds, each told what the others said; one puts it together.',
  list_sessions: 'Lists earlier sessions of this project.',
  describe_session: 'Tells what was said last in one.',
  search_project_history: 'Finds what was said in all of them.',
  count_project_tokens: 'Estimates how large files of the project are.',
};
