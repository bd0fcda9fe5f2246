import { detach } from '../../hub/base/detach.js';
import type { Client } from '../../hub/client/client.js';
import type { ParamsOf } from '../../hub/protocol/methods/method_table.js';
import type { AgentEvent, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { forgetPrintedKeys, giveKey, withCommandKey } from '../turn/key_command.js';
import type { ModelAccess } from '../turn/model_access.js';
import { keysOf } from '../turn/run_turn.js';

type Reached = { access: ModelAccess };

/** The turns that pages have begun. They belong to the hub: this process ends before them. */
export interface BegunTurns {
  /** Resolves when the turn has begun; rejects when it could not. */
  run(params: Omit<ParamsOf<'agent.run'>, 'access' | 'stream'> & Reached): Promise<void>;
  /** Resolves when the answer is taken. */
  answer(params: Omit<ParamsOf<'agent.answer'>, 'access' | 'stream'> & Reached): Promise<void>;
}

/** Begins turns and gives them the keys that they ask for, as a terminal does. What fails later is told by `onFailure`. */
export function begunTurns(context: Context, onFailure: (error: unknown) => void): BegunTurns {
  type Listen = { onEvent(event: AgentEvent): Promise<void> };

  function begin({ access }: Reached, call: (client: Client, listen: Listen) => Promise<TurnOutcome>): Promise<void> {
    const keys = keysOf(context, { access });
    forgetPrintedKeys(access);
    return new Promise((resolve, reject) => {
      let isBegun = false;
      const work = async (): Promise<void> => {
        const client = await context.client();
        const listen: Listen = {
          async onEvent(event) {
            isBegun = true;
            resolve();
            if (event.kind === 'key_wanted') detach(giveKey(keys, client, event), onFailure);
          },
        };
        await withCommandKey(keys, () => call(client, listen));
        resolve();
      };
      detach(work(), (error) => (isBegun ? onFailure(error) : reject(error)));
    });
  }

  return {
    run: (params) =>
      begin(params, (client, listen) => client.stream('agent.run', { ...params, gives_keys: true }, listen)),
    answer: (params) =>
      begin(params, (client, listen) => client.stream('agent.answer', { ...params, gives_keys: true }, listen)),
  };
}
