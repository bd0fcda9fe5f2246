import { command } from '../command_line/command.js';
import { takeSignals } from '../command_line/interruption.js';
import { refuseInside } from '../turn/refuse_inside_model.js';
import { CONVERSATION_FLAGS, TURN_VALUES } from '../turn/turn_options.js';

export const mcpCommand = command({
  name: 'mcp',
  summary: 'Serve other agents: Claude Code, Codex, Gemini, opencode and others that speak the Model Context Protocol.',
  details:
    'An agent starts it and talks to it on standard input and output; it ends when its input does. It offers work_with, consult_with and group_think, which let a model work, let one look, or let several think, in sessions of the project that all agents share by name, and four tools that list, describe, search and measure. What the models may do is said here, not by the agent.',
  flags: CONVERSATION_FLAGS,
  values: TURN_VALUES,
  examples: [
    { line: 'cognition mcp', does: 'serves the agent that started it' },
    { line: 'claude mcp add cognition -- cognition mcp', does: 'sets it up in Claude Code' },
  ],
  async run(input, context) {
    refuseInside('mcp');
    // That bundle has its own of every module: it is given what must be the same.
    const { serveAgents } = await import('../mcp/serve_agents.js');
    return serveAgents(input, { json: context.json, onSignal: takeSignals });
  },
});
