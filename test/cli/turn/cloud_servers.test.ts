import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelAccess } from '../../../cli/turn/model_access.js';
import { serversIn } from '../../../hub/config/server_preferences.js';
import { withCli } from '../../support/cli.js';
import { AWS_KEYS, AWS_REGION, PROJECT } from '../../support/model/cloud_rules.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';

const LS = { kind: 'call', id: 'call_one', tool: 'bash', input: '{"command":"echo here"}' } as const;
const THOUGHT = { kind: 'thinking', text: 'Let me look.' } as const;
const DONE = { kind: 'text', text: 'All is here.' } as const;

const SIGNED = {
  AWS_REGION,
  AWS_ACCESS_KEY_ID: AWS_KEYS.access_key_id,
  AWS_SECRET_ACCESS_KEY: AWS_KEYS.secret_access_key,
  AWS_SESSION_TOKEN: AWS_KEYS.session_token,
};
const CLOUDS = [
  {
    ...{ name: 'bedrock, signed', variables: SIGNED },
    ...{ address: 'ANTHROPIC_BEDROCK_BASE_URL', model: 'us.anthropic.claude-sonnet-5-v1:0' },
  },
  {
    ...{ name: 'bedrock, by a key', variables: { AWS_BEARER_TOKEN_BEDROCK: KEY } },
    ...{ address: 'ANTHROPIC_BEDROCK_BASE_URL', model: 'bedrock/us.anthropic.claude-opus-5-5' },
  },
  {
    ...{ name: 'vertex', address: 'ANTHROPIC_VERTEX_BASE_URL', model: 'vertex/claude-sonnet-5' },
    variables: { ANTHROPIC_VERTEX_ACCESS_TOKEN: KEY, ANTHROPIC_VERTEX_PROJECT_ID: PROJECT },
  },
];

test.each(CLOUDS)('a turn at $name works with what the environment says', ({ variables, address, model }) =>
  withModelServer((server) =>
    withCli(async ({ run, home }) => {
      server.script(say(THOUGHT, LS), say(DONE));
      const env = { ...variables, [address]: server.origin };
      const { code, stdout, stderr } = await run(['ask', 'what is here?', '--model', model], { env });
      expect([stderr, code, stdout]).toEqual([expect.stringContaining('[bash] echo here'), 0, 'All is here.\n']);
      expect(server.requests).toHaveLength(2);
      // The second request sends back what was thought, with its signature.
      expect(server.requests[1]?.text).toContain('signed-');
      const secrets = [KEY, AWS_KEYS.secret_access_key, AWS_KEYS.session_token];
      const log = await run(['hub', 'logs'], { env: { COGNITION_HOME: home } });
      for (const secret of secrets) expect(log.stdout + stderr).not.toContain(secret);
    }),
  ),
);

test('lines of a configuration name accounts of a cloud side by side', () =>
  withModelServer((server) =>
    withCli(async ({ run, home, folder }) => {
      mkdirSync(home, { mode: 0o700 });
      const credentials = [
        `aws_access_key_id=${AWS_KEYS.access_key_id}`,
        `aws_secret_access_key=${AWS_KEYS.secret_access_key}`,
        `aws_session_token=${AWS_KEYS.session_token}`,
      ];
      const person = join(folder, '..', 'person');
      mkdirSync(join(person, '.aws'));
      writeFileSync(join(person, '.aws', 'credentials'), ['[team]', ...credentials].join('\n'));
      const lines = ['kind = bedrock', 'profile = team', `region = ${AWS_REGION}`, `base_url = ${server.origin}`];
      writeFileSync(join(home, 'config'), lines.map((line) => `server.work.${line}\n`).join(''));
      server.script(say(DONE));
      // Keys of the environment are another account's.
      const env = { AWS_ACCESS_KEY_ID: 'AKIAOTHEROTHEROTHER1', AWS_SECRET_ACCESS_KEY: 'other/0123456789' };
      const { code, stderr } = await run(['ask', 'hello', '--model', 'work/global.anthropic.claude-opus-5-5'], { env });
      expect([stderr, code]).toEqual([expect.anything(), 0]);
      const listed = await run(['models', 'work'], { env });
      expect(listed.stdout).toMatch(/^work {2}http:\/\/127\.0\.0\.1:\d+ {2}signs in as you do there/m);
    }),
  ));

test('models tells how one signs in at a cloud, and names models that are there', () =>
  withCli(async ({ run }) => {
    const { stdout } = await run(['models', 'bedrock'], { env: { AWS_REGION: 'eu-west-1' } });
    expect(stdout).toMatch(
      /^bedrock {2}https:\/\/bedrock-runtime\.eu-west-1\.amazonaws\.com {2}signs in as you do there$/m,
    );
    expect(stdout).toMatch(
      /bedrock\/global\.anthropic\.claude-opus-5-5 +1,000,000 tokens +\$4\/\$20 +tools, images, thinking/,
    );
    expect(stdout).not.toContain('regional.');
  }));

test('the environment goes before the lines, and says nothing of an account that has a profile', () => {
  const lines = {
    'server.bedrock.region': 'eu-west-1',
    'server.bedrock.profile': 'mine',
    'server.two.kind': 'bedrock',
  };
  const servers = serversIn(new Map([...Object.entries(lines), ['server.two.profile', 'other']]));
  const names = Object.keys(SIGNED);
  const before = names.map((name): [string, string | undefined] => [name, process.env[name]]);
  Object.assign(process.env, SIGNED);
  try {
    const { bedrock, two } = modelAccess({ servers });
    expect(bedrock?.cloud).toEqual({ ...AWS_KEYS, region: AWS_REGION, profile: 'mine' });
    expect(two).toMatchObject({ kind: 'bedrock', base_url: null, cloud: { region: AWS_REGION, profile: 'other' } });
    expect(two?.cloud.access_key_id).toBeUndefined();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});
