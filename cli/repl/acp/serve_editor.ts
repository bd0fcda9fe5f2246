import { Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import { detach } from '../../../hub/base/detach.js';
import { openContext } from '../../command_line/command_context.js';
import { EXIT, exitCodeOf, renderFailure } from '../../output/failure.js';
import { createEditorAgent, type ServedWords } from './acp_agent.js';
import { byteStream } from './byte_stream.js';

/** Serves the editor at standard input and output until the input ends; resolves to the exit code. */
export async function serveEditor(input: ServedWords, { json }: { json: boolean }): Promise<number> {
  try {
    const context = openContext({ json, color: 'never', paged: false });
    const agent = createEditorAgent(input, context.client);
    // An editor says hello first: the hub starts meanwhile, and whoever needs it is told why it does not.
    detach(context.client(), () => undefined);
    const stream = ndJsonStream(Writable.toWeb(process.stdout), byteStream(process.stdin));
    await agent.app.connect(stream).closed;
    await agent.close();
    await context.close();
    return EXIT.ok;
  } catch (error) {
    process.stderr.write(renderFailure(error, json));
    return exitCodeOf(error);
  }
}
