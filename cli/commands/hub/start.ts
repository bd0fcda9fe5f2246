import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';

export const hubStartCommand = command({
  name: 'start',
  summary: 'Start the hub, unless it runs.',
  details:
    'Every command that needs the hub starts it, so this is only for --listen: then it is reached over TCP as well, on this machine alone, with the token in the file hub.token of the home folder.',
  values: [
    { name: 'listen', value: 'host:port', choices: null, description: 'a loopback address, such as 127.0.0.1:7411' },
  ],
  examples: [
    { line: 'cognition hub start', does: 'starts it' },
    { line: 'cognition hub start --listen 127.0.0.1:7411', does: 'also listens on TCP, with a new token' },
  ],
  async run(input, context) {
    const { connect } = await import('../../../hub/client/client.js');
    const client = await connect({ home: context.paths.home, listen: input.value('listen') });
    try {
      const health = await client.call('health.check', {});
      if (context.json) await context.printJson(health);
      else await context.out.write(`The hub runs: version ${health.version}, process ${health.pid}\n`);
      if (health.listen !== null && !context.json) {
        await context.out.write(`It listens on ${health.listen}; the token is in ${context.paths.token}\n`);
      }
    } finally {
      await client.close();
    }
    return EXIT.ok;
  },
});
