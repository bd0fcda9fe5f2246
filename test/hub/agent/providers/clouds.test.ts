import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainModelName } from '../../../../hub/agent/model/claude_names.js';
import { parseModelName } from '../../../../hub/agent/model/model_names.js';
import { loadPriceTable } from '../../../../hub/agent/model/price_table.js';
import type { ModelRequest } from '../../../../hub/agent/model/provider.js';
import { modelAt } from '../../../../hub/agent/model/provider_access.js';
import { SYSTEM_TIMERS } from '../../../../hub/agent/model/timers.js';
import { providerFor } from '../../../../hub/agent/providers/all_providers.js';
import { installedPackages } from '../../../../hub/base/packages/installed_packages.js';
import { providerRecord } from '../../../../hub/base/provider_records.js';
import { Access, Route } from '../../../../hub/protocol/turn.js';
import { withProxy } from '../../../support/connect_proxy.js';
import { withFolder } from '../../../support/hub.js';
import { AWS_KEYS, AWS_REGION, PROJECT } from '../../../support/model/cloud_rules.js';
import { withRawServer } from '../../../support/model/raw_server.js';
import { type Part, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { tries } from '../../../support/mounts.js';
import { withAuthority, withEncrypted } from '../../../support/private_authority.js';
import { hear, makerOf, REQUEST } from './dialects.js';

const hello: Part = { kind: 'text', text: 'Hello.' };
const BEDROCK_MODEL = 'us.anthropic.claude-sonnet-5-v1:0';

function askBedrock(server: ModelServer, cloud: ModelRequest['cloud'], model = BEDROCK_MODEL) {
  const request = { ...REQUEST, model, baseUrl: server.origin, cloud };
  return hear(makerOf('bedrock')(SYSTEM_TIMERS), request);
}

/** Runs a test with variables of its own, as a hub has them. */
async function withVariables<T>(variables: Record<string, string>, use: () => Promise<T>): Promise<T> {
  const before = Object.keys(variables).map((name): [string, string | undefined] => [name, process.env[name]]);
  Object.assign(process.env, variables);
  try {
    return await use();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

test.each([BEDROCK_MODEL, 'anthropic.claude-haiku-4-5-20251001-v1:0', 'eu.anthropic.claude-opus-5-5'])(
  'what is sent to Bedrock for %s is signed with the keys of the caller',
  (model) =>
    withModelServer(async (server) => {
      server.script(say(hello));
      const { answer, failure } = await askBedrock(server, { ...AWS_KEYS, region: AWS_REGION }, model);
      expect(failure).toBeNull();
      expect(answer.blocks).toEqual([{ type: 'text', text: 'Hello.' }]);
      expect(server.requests[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    }),
);

test('keys that AWS does not take are refused in one line, and repeated nowhere', () =>
  withModelServer(async (server) => {
    const wrong = { ...AWS_KEYS, secret_access_key: 'wrong/0123456789abcdef', region: AWS_REGION };
    const { failure } = await askBedrock(server, wrong);
    expect(failure).toMatchObject({ kind: 'rejected', details: { reason: 'key', status: 403 } });
    expect(JSON.stringify([failure, failure?.message])).not.toContain(wrong.secret_access_key);
  }));

test('a profile in ~/.aws signs, and one that is not there is told', () =>
  withFolder((folder) =>
    withModelServer(async (server) => {
      const file = join(folder, 'credentials');
      const { access_key_id: id, secret_access_key: secret, session_token: token } = AWS_KEYS;
      const lines = [`aws_access_key_id=${id}`, `aws_secret_access_key=${secret}`, `aws_session_token=${token}`];
      writeFileSync(file, ['[work]', ...lines].join('\n'));
      const places = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: join(folder, 'none') };
      await withVariables(places, async () => {
        server.script(say(hello));
        const { failure } = await askBedrock(server, { profile: 'work', region: AWS_REGION });
        expect(failure).toBeNull();
        const nobody = await askBedrock(server, { profile: 'nobody', region: AWS_REGION });
        expect(nobody.failure).toMatchObject({ kind: 'no_key', hint: expect.stringContaining('AWS_PROFILE') });
        expect(nobody.failure?.message).toMatch(/^AWS gives no credentials for nobody: /);
      });
    }),
  ));

test('a region that is none never becomes an address', async () => {
  const region = 'x.attacker.example/';
  const { failure } = await hear(makerOf('bedrock')(SYSTEM_TIMERS), { ...REQUEST, cloud: { ...AWS_KEYS, region } });
  expect(failure).toMatchObject({ kind: 'invalid_params', message: `"${region}" is no region of bedrock` });
});

test('without its package a cloud is not asked, and the line that installs it is told', () =>
  withModelServer(async (server) => {
    for (const [name, sdk] of [
      ['bedrock', '@anthropic-ai/bedrock-sdk'],
      ['vertex', '@anthropic-ai/vertex-sdk'],
    ] as const) {
      const packages = installedPackages('/opt/cognition/packages', []);
      const provider = providerFor(providerRecord(name), { timers: SYSTEM_TIMERS, packages });
      const line = `npm install --prefix /opt/cognition/packages ${sdk}`;
      expect(provider.toInstall?.()).toBe(line);
      const { failure } = await hear(provider, { ...REQUEST, baseUrl: server.origin, key: KEY });
      expect(failure).toMatchObject({ kind: 'rejected', retryable: false, hint: `install it: ${line}` });
      expect(failure?.message).toBe(`the package ${sdk} is not installed`);
    }
    expect(server.requests).toEqual([]);
  }));

test('a package that is there and does not load is told so', () =>
  withFolder(async (folder) => {
    const place = join(folder, 'node_modules/@anthropic-ai/vertex-sdk');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{"name":"@anthropic-ai/vertex-sdk","main":"index.js"}');
    writeFileSync(join(place, 'index.js'), 'throw new Error("not for this machine")');
    const packages = installedPackages(folder, []);
    expect(packages.has('@anthropic-ai/vertex-sdk')).toBe(true);
    const provider = providerFor(providerRecord('vertex'), { timers: SYSTEM_TIMERS, packages });
    const { failure } = await hear(provider, { ...REQUEST, key: KEY });
    expect(failure?.message).toBe('the package @anthropic-ai/vertex-sdk cannot be loaded: not for this machine');
  }));

test.runIf(tries('openssl', ['version']))(
  'Vertex is signed in at with a file of credentials, by the proxy of the caller, once for several requests',
  () =>
    withModelServer((server) =>
      withTokens((ports, certificate) =>
        withProxy(
          (proxy) =>
            withFolder(async (folder) => {
              const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
              const file = join(folder, 'key.json');
              const account = {
                ...{ type: 'service_account', project_id: PROJECT, private_key_id: 'one' },
                private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
                ...{ client_email: 'me@project.example', client_id: '1' },
              };
              writeFileSync(file, JSON.stringify(account));
              const route = Route.parse({ https_proxy: proxy.origin, authorities: certificate });
              const cloud = { credentials_file: file, region: 'europe-west1' };
              const request = { ...REQUEST, model: 'claude-sonnet-5', baseUrl: `${server.origin}/v1`, cloud, route };
              const provider = makerOf('vertex')(SYSTEM_TIMERS);
              for (const _ of [1, 2]) {
                server.script(say(hello));
                expect((await hear(provider, request)).failure).toBeNull();
              }
              expect(proxy.tunnels).toEqual(['oauth2.googleapis.com:443']);
              expect(server.requests[0]?.path).toBe(
                `/v1/projects/${PROJECT}/locations/europe-west1/publishers/anthropic/models/claude-sonnet-5:streamRawPredict`,
              );
            }),
          { hosts: ports },
        ),
      ),
    ),
);

/** Google's server of tokens, behind the proxy. */
function withTokens<T>(use: (hosts: Record<string, number>, certificate: string) => Promise<T>): Promise<T> {
  const host = 'oauth2.googleapis.com';
  const token = { access_token: KEY, expires_in: 3_600, token_type: 'Bearer' };
  return withAuthority(host, (authority) =>
    withRawServer(
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token)),
      (origin) => withEncrypted(authority, origin, (port) => use({ [`${host}:443`]: port }, authority.certificate)),
    ),
  );
}

test('Vertex without a sign-in or a project says what to do', () =>
  withFolder((folder) =>
    withVariables({ HOME: folder }, async () => {
      const provider = makerOf('vertex')(SYSTEM_TIMERS);
      const { failure } = await hear(provider, { ...REQUEST, baseUrl: 'http://127.0.0.1:1' });
      expect(failure).toMatchObject({
        kind: 'no_key',
        hint: expect.stringContaining('gcloud auth application-default'),
      });
      const request = { ...REQUEST, baseUrl: 'http://127.0.0.1:1', key: KEY, cloud: {} };
      expect((await hear(provider, request)).failure).toMatchObject({
        kind: 'invalid_params',
        hint: 'set ANTHROPIC_VERTEX_PROJECT_ID to its id',
      });
    }),
  ));

test.each([
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5-20250929'],
  ['anthropic.claude-3-5-haiku-20241022-v1:0', 'claude-3-5-haiku-20241022'],
  ['global.anthropic.claude-opus-5-5', 'claude-opus-5-5'],
  ['us-gov.anthropic.claude-sonnet-5-v1:0:200k', 'claude-sonnet-5'],
  ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5-20250929'],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-5-v1:0', 'claude-opus-5'],
  [
    'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc',
    'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc',
  ],
  ['claude-sonnet-5', 'claude-sonnet-5'],
  ['qwen3:8b', 'qwen3:8b'],
])('%s is %s to Anthropic', (model, plain) => {
  expect(plainModelName(model)).toBe(plain);
});

test('models of clouds have the windows and prices that these ask, at their own addresses alone', async () => {
  const table = await loadPriceTable();
  const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const facts = (name: string, entry: object = {}) => {
    const model = modelAt(parseModelName(name), Access.parse({ [name.slice(0, name.indexOf('/'))]: entry }));
    return [table.window(model), table.cost(model, usage, Date.UTC(2026, 10, 1))];
  };
  expect(facts(`bedrock/${BEDROCK_MODEL}`)).toEqual([1_000_000, 2.2]);
  expect(facts('bedrock/global.anthropic.claude-sonnet-5-v1:0')).toEqual([1_000_000, 2]);
  expect(facts('vertex/claude-sonnet-5')).toEqual([1_000_000, 2]);
  const own = 'https://bedrock-runtime.eu-central-1.amazonaws.com/';
  expect(facts(`bedrock/${BEDROCK_MODEL}`, { base_url: own })).toEqual([1_000_000, 2.2]);
  expect(facts(`bedrock/${BEDROCK_MODEL}`, { base_url: 'https://gateway.example' })).toEqual([null, null]);
  expect(parseModelName(BEDROCK_MODEL)).toEqual({ provider: 'bedrock', model: BEDROCK_MODEL });
});
