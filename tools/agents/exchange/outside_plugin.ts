import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import type { Plugin } from '../../../hub/base/plugin.js';
import type { ParsedOf, ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { ToolParts } from '../../base/tool_parts.js';
import type { PrivateGit } from '../../private_git/private_git.js';
import { findProgram } from '../../process/find_program.js';
import type { Sandbox } from '../../sandbox/forms/sandbox.js';
import type { AgentCli } from '../agent_cli.js';
import { findCli, knownAgents } from '../all_clis.js';
import { chooseAgent } from '../choice/choose_agent.js';
import { modelProblems, ownModels } from '../choice/own_models.js';
import { homeOf } from '../process/agent_folders.js';
import { createVersions } from '../process/versions.js';
import { createAgentInstances } from './agent_instances.js';
import type { RunningExchange } from './exchange_listener.js';
import type { ExchangeParts } from './exchange_parts.js';
import { createSessionTips } from './first_words.js';
import { createKeptSpeakers, endLeftSpeakers } from './kept_speakers.js';
import { recoverRuns } from './recover_runs.js';
import { runExchange } from './run_exchange.js';

export interface OutsidePlugin extends Plugin {
  /** How many exchanges are under way. */
  running(): number;
}

/** Lets outside agents work in trees. First it ends what an earlier process left running. */
export async function openOutside(
  given: ToolParts & { sandbox: Sandbox; privateGit: PrivateGit; runs: string },
): Promise<OutsidePlugin> {
  const kept = createKeptSpeakers(given.runs);
  const tips = createSessionTips(given.machine.cognitionHome);
  const parts: ExchangeParts = {
    ...given,
    kept,
    tips,
    instances: createAgentInstances(),
    versions: createVersions(given),
  };
  const running = new Map<NodeId, RunningExchange>();
  const ending = new AbortController();
  const ended = new Set<Promise<unknown>>();
  await endLeftSpeakers(parts.runs);
  await recoverRuns(parts, parts.runs);
  for (const problem of agentWarnings(parts)) parts.log('error', problem);

  return {
    name: 'outside',
    version: '1.0.0',
    running: () => running.size,
    methods: {
      'outside.run': async (params, context) => {
        if (running.has(params.id)) {
          throw new HubError('conflict', `the exchange ${params.id} is under way`, { hint: 'wait for its end' });
        }
        const signal = AbortSignal.any([context.signal, ending.signal]);
        const onRunning = (one: RunningExchange): void => void running.set(params.id, one);
        const exchange = runExchange(parts, params, { context: { ...context, signal }, onRunning });
        ended.add(exchange);
        return exchange.finally(() => {
          running.delete(params.id);
          ended.delete(exchange);
        });
      },
      'outside.answer': async ({ id, question, allow, words }) => {
        const decision = allow ? ({ kind: 'allow' } as const) : ({ kind: 'deny', reason: words } as const);
        return { answered: running.get(id)?.answer(question, decision) ?? false };
      },
      'outside.say': async ({ id, text }) => ({ said: running.get(id)?.say(text) ?? false }),
      'outside.list': async ({ environment }) => ({
        agents: await Promise.all(agentsOf(parts).map((cli) => installed(parts, cli, environment ?? {}))),
        running: [...running.values()].map(({ id, agent, tree, startedAtMs, session }) => ({
          ...{ id, agent, tree, session: session(), started_at_ms: Math.round(startedAtMs), isBusy: true },
        })),
        warnings: agentWarnings(parts),
      }),
      'outside.choose_agent': async ({ name }) => choiceOf(parts, name),
      'outside.login_command': async (params) => loginCommand(parts, params),
    },
    async close() {
      ending.abort();
      await Promise.all([Promise.allSettled(ended), kept.endAll()]);
      // Those whose exchange has just ended.
      await kept.endAll();
    },
  };
}

function choiceOf(parts: ExchangeParts, name: string): ResultOf<'outside.choose_agent'> {
  const own = ownModels(parts.config.agentModels()).lines;
  return chooseAgent(name, { agents: agentsOf(parts).map((cli) => cli.name), own });
}

function agentsOf({ machine }: Pick<ExchangeParts, 'machine'>): readonly AgentCli[] {
  return knownAgents(machine.cognitionHome).agents;
}

function agentWarnings({ config, machine }: Pick<ExchangeParts, 'config' | 'machine'>): string[] {
  const { lines, problems } = ownModels(config.agentModels());
  const known = knownAgents(machine.cognitionHome);
  const names = known.agents.map(({ name }) => name);
  return [...known.problems, ...problems, ...modelProblems(names, lines)];
}

type Environment = Readonly<Record<string, string>>;

async function installed(
  parts: ExchangeParts,
  cli: AgentCli,
  environment: Environment,
): Promise<ResultOf<'outside.list'>['agents'][number]> {
  const { name, abilities, install, variables } = cli;
  const home = homeOf(parts.machine.cognitionHome, name);
  const program = findProgram(cli.executable, environment.PATH ?? parts.machine.path);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const version = program === null ? null : await parts.versions.of(program, home);
  const isOwn = cli.loginFiles.some((file) => existsSync(join(home, file)));
  const hasVariable = variables.some((variable) => environment[variable] !== undefined && !/_URL$/.test(variable));
  return {
    ...{ name, program, version, variables: [...variables], abilities: [...abilities], install },
    login: loginOf(hasVariable, isOwn),
  };
}

function loginOf(hasVariable: boolean, isOwn: boolean): ResultOf<'outside.list'>['agents'][number]['login'] {
  if (hasVariable) return 'variable';
  return isOwn ? 'own' : 'unknown';
}

function loginCommand(
  parts: ExchangeParts,
  { agent, environment }: ParsedOf<'outside.login_command'>,
): ResultOf<'outside.login_command'> {
  const cli = findCli(agent, parts.machine.cognitionHome);
  const path = environment?.PATH ?? parts.machine.path;
  const program = cli === null ? null : findProgram(cli.executable, path);
  if (cli === null || program === null) {
    throw new HubError('not_found', `there is no ${agent} here that could log in`, {
      hint:
        cli === null
          ? `the agents are: ${agentsOf(parts)
              .map(({ name }) => name)
              .join(', ')}`
          : cli.install,
    });
  }
  const home = homeOf(parts.machine.cognitionHome, cli.name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return { program, arguments: [...cli.login], environment: { HOME: home } };
}
