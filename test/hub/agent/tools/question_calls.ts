import type { Client } from '../../../../hub/client/client.js';
import type { ParamsOf } from '../../../../hub/protocol/methods/method_table.js';
import type { TurnOutcome } from '../../../../hub/protocol/turn.js';
import { accessTo, type TestAgent } from '../../../support/turns.js';
import { call } from '../turn/turn_calls.js';

export const PLAN = { model: 'anthropic/claude-sonnet-5', level: 'plan' as const };

/** Answers a question of a turn as a client does that has this server's key. */
export function answering({ server, project }: Pick<TestAgent, 'server' | 'project'>, client: Client) {
  return (params: Pick<ParamsOf<'agent.answer'>, 'turn' | 'call' | 'answer'>): Promise<TurnOutcome> =>
    client.stream('agent.answer', { cwd: project, access: accessTo(server), ...params }, { onEvent: () => undefined });
}

/** A call that asks a person. */
export const ask = (id: string, question: string, options?: string[]) =>
  call(id, 'ask_user', { question, ...(options === undefined ? {} : { options }) });
