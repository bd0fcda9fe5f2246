import { command } from '../../command_line/command.js';
import { runningHub } from '../../command_line/running_hub.js';
import { EXIT } from '../../output/failure.js';
import { renderHealth } from '../../render/reports/hub_health.js';

export const hubStatusCommand = command({
  name: 'status',
  summary: 'Say whether the hub runs, and how it is.',
  details: 'Starts nothing. Exits 6 when no hub runs.',
  examples: [{ line: 'cognition hub status', does: 'tells its version, age, memory and connections' }],
  async run(_input, context) {
    const client = await runningHub(context);
    if (client === null) {
      if (context.json) await context.printJson({ running: false, home: context.paths.home });
      else await context.out.write(`No hub runs for ${context.paths.home}\n`);
      return EXIT.unreachable;
    }
    const health = await client.call('health.check', {});
    await client.close();
    if (context.json) await context.printJson({ running: true, ...health });
    else await context.out.write(renderHealth(health, await context.look([])));
    return EXIT.ok;
  },
});
