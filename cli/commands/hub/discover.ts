import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { jsonText } from '../../output/json_text.js';

export const hubDiscoverCommand = command({
  name: 'discover',
  summary: 'Print the protocol as an OpenRPC document.',
  examples: [{ line: 'cognition hub discover > openrpc.json', does: 'writes it to a file' }],
  async run(_input, context) {
    const client = await context.client();
    const document = await client.call('rpc.discover', {});
    await context.out.write(`${jsonText(document, context.json ? 0 : 2)}\n`);
    return EXIT.ok;
  },
});
