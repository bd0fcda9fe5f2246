import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say } from '../../../support/model/script.js';
import { type TestAgent, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

const systemOf = ({ server }: TestAgent): string => JSON.stringify(server.requests.at(-1)?.body.system);

test('reloaded instructions count for what follows, and other branches keep theirs', async () => {
  await withAgent(async (agent) => {
    const { run, say: ask, project, settingsAt, client } = agent;
    writeFileSync(join(project, 'AGENTS.md'), 'Use tabs.');
    const first = await run(await ask('hello'));
    const other = await run(await ask('another branch', first.tip));
    writeFileSync(join(project, 'AGENTS.md'), 'Use spaces.');
    const before = await client.call('context.model', { node: other.tip });
    // Without being told, a branch keeps what it has.
    await run(await ask('still', first.tip));
    expect(systemOf(agent)).toContain('Use tabs.');
    const anew = await run(await ask('anew', first.tip), { change: { reload: true } });
    expect(systemOf(agent)).toContain('Use spaces.');
    expect((await settingsAt(anew.tip)).system_prompt).not.toContain('Use tabs.');
    await run(await ask('after', anew.tip), { change: null });
    expect(systemOf(agent)).toContain('Use spaces.');
    expect(await client.call('context.model', { node: other.tip })).toEqual(before);
    await run(await ask('here', other.tip), { change: null });
    expect(systemOf(agent)).toContain('Use tabs.');
  });
});

test('a turn tells which instructions it read, and only when it read them', async () => {
  await withAgent(async ({ begin, say: ask, project }) => {
    mkdirSync(join(project, 'deep', 'down'), { recursive: true });
    writeFileSync(join(project, 'AGENTS.md'), 'Top.');
    writeFileSync(join(project, 'deep', 'CLAUDE.md'), 'Below.');
    const started = async (turn: ReturnType<typeof begin>) => {
      await turn.outcome;
      return (await turn.event('turn_started')).instructions;
    };
    const cwd = join(project, 'deep', 'down');
    const turn = begin(await ask('hello'), { cwd });
    expect(await started(turn)).toEqual([join(project, 'AGENTS.md'), join(project, 'deep', 'CLAUDE.md')]);
    const { tip } = await turn.outcome;
    expect(await started(begin(await ask('more', tip), { cwd }))).toEqual([]);
    rmSync(join(project, 'AGENTS.md'));
    const again = begin(await ask('anew', tip), { cwd, change: { reload: true } });
    expect(await started(again)).toEqual([join(project, 'deep', 'CLAUDE.md')]);
  });
});

test('skills are listed from every place where they may lie, the first of a name counts, and links out of the project do not', async () => {
  await withAgent(async (agent) => {
    const { run, say: ask, project, hub } = agent;
    const skill = (folder: string, name: string, description: string): void => {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\n`);
    };
    skill(join(project, '.agents', 'skills'), 'search', 'from .agents');
    skill(join(project, '.cognition', 'skills'), 'search', 'from .cognition');
    skill(join(project, '.claude', 'skills'), 'paint', 'from .claude');
    skill(join(hub.home, 'skills'), 'sing', 'of the person');
    const outside = join(hub.home, 'outside');
    skill(outside, 'steal', 'from elsewhere');
    symlinkSync(outside, join(project, '.claude', 'skills', 'linked'));
    symlinkSync(join(outside, 'steal'), join(project, '.agents', 'skills', 'steal'));
    await run(await ask('hello'));
    const system = systemOf(agent);
    for (const described of ['from .cognition', 'from .claude', 'of the person']) expect(system).toContain(described);
    for (const missing of ['from .agents', 'from elsewhere']) expect(system).not.toContain(missing);
  });
});

test('a skill of the person can be read and run in the sandbox, and what lies beside it cannot', async () => {
  await withAgent(async (agent) => {
    const { run, say: ask, hub, server, path } = agent;
    const folder = join(hub.home, 'skills', 'sing');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: sing\ndescription: Sings.\n---\nSing loudly.\n');
    writeFileSync(join(folder, 'sing.sh'), 'echo la la\n');
    writeFileSync(join(hub.home, 'secret'), 'hidden words\n');
    symlinkSync(hub.home, join(folder, 'up'));
    server.script(
      say(
        call('c1', 'read', { path: join(folder, 'SKILL.md') }),
        call('c2', 'bash', {
          command: `bash ${folder}/sing.sh; cat ${hub.home}/secret ${folder}/up/secret; echo x > ${folder}/new`,
        }),
        call('c3', 'read', { path: join(folder, 'up', 'secret') }),
        call('c4', 'write', { path: join(folder, 'sing.sh'), content: 'worse' }),
      ),
      say(words('Sung.')),
    );
    const { tip } = await run(await ask('sing'));
    const [read, ran, stolen, written] = (await path(tip)).flatMap((node) =>
      node.kind === 'external' ? [JSON.stringify(node.blocks)] : [],
    );
    expect(read).toContain('Sing loudly.');
    expect(ran).toContain('la la');
    expect(ran).toContain('Read-only');
    for (const one of [ran, stolen]) expect(one).not.toContain('hidden words');
    expect(written).not.toContain('worse');
  });
});
