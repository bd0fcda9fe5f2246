import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { modelRoute } from '../../../cli/turn/model_route.js';
import { withFolder } from '../../support/hub.js';
import { tries } from '../../support/mounts.js';

const NAMES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const VARIABLES = [...NAMES, ...NAMES.map((name) => name.toLowerCase()), 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];
const before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));

afterEach(() => {
  for (const name of VARIABLES) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

function routeWith(variables: Record<string, string>): ReturnType<typeof modelRoute> {
  for (const name of VARIABLES) delete process.env[name];
  Object.assign(process.env, variables);
  return modelRoute();
}

const certificate = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}==\n-----END CERTIFICATE-----`;
const NOTHING = { https_proxy: null, http_proxy: null, no_proxy: null, authorities: null, authorities_problem: null };

test.each([
  [{}, null],
  [{ NO_PROXY: 'localhost', HTTPS_PROXY: '' }, null],
  [{ HTTPS_PROXY: 'one:1' }, { https_proxy: 'one:1' }],
  [{ HTTPS_PROXY: 'one:1', https_proxy: 'two:2' }, { https_proxy: 'two:2' }],
  [
    { HTTP_PROXY: 'one:1', all_proxy: 'all:3', NO_PROXY: '.corp' },
    { https_proxy: 'all:3', http_proxy: 'one:1', no_proxy: '.corp' },
  ],
])('the environment %j is the route %j', (variables, expected) => {
  expect(routeWith(variables)).toEqual(expected === null ? null : { ...NOTHING, ...expected });
});

test('the certificates of both files are sent, and nothing else of them', () =>
  withFolder(async (folder) => {
    const [one, two] = [join(folder, 'one.pem'), join(folder, 'two.pem')];
    const key = '-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----';
    writeFileSync(one, `# Corporate\n${certificate('one')}\n${key}\n${certificate('more')}\n`);
    writeFileSync(two, certificate('two').replaceAll('\n', '\r\n'));
    expect(routeWith({ NODE_EXTRA_CA_CERTS: one, SSL_CERT_FILE: two })).toEqual({
      ...NOTHING,
      authorities: [certificate('one'), certificate('more'), certificate('two').replaceAll('\n', '\r\n')].join('\n'),
    });
  }));

test('what cannot be read is said where it matters, and keeps nothing else away', () =>
  withFolder(async (folder) => {
    const at = (name: string): string => join(folder, name);
    writeFileSync(at('text.pem'), 'no certificate');
    mkdirSync(at('folder.pem'));
    writeFileSync(at('large.pem'), `${certificate('x')}\n`.repeat(200_000));
    writeFileSync(at('many.pem'), `${certificate('x')}\n`.repeat(20_000));
    const problemOf = (name: string) => routeWith({ NODE_EXTRA_CA_CERTS: at(name) });
    const named = 'NODE_EXTRA_CA_CERTS names a file';
    const problems: [string, string][] = [
      ['gone.pem', `${named} that cannot be read (ENOENT): ${at('gone.pem')}`],
      ['text.pem', `${named} without a certificate in PEM: ${at('text.pem')}`],
      ['folder.pem', `${named} that cannot be read (it is no file): ${at('folder.pem')}`],
      ['large.pem', `${named} that cannot be read (it has more than 8388608 bytes): ${at('large.pem')}`],
      ['many.pem', 'NODE_EXTRA_CA_CERTS and SSL_CERT_FILE have more certificates than can be sent'],
    ];
    for (const [name, problem] of problems) {
      expect(problemOf(name)).toEqual({ ...NOTHING, authorities_problem: problem });
    }
    writeFileSync(at('good.pem'), certificate('good'));
    expect(routeWith({ NODE_EXTRA_CA_CERTS: at('gone.pem'), SSL_CERT_FILE: at('good.pem') })).toMatchObject({
      authorities: certificate('good'),
      authorities_problem: expect.stringContaining('ENOENT'),
    });
  }));

test.runIf(tries('mkfifo', ['--version']))('a pipe, which would never end, is not waited for', () =>
  withFolder(async (folder) => {
    const pipe = join(folder, 'pipe.pem');
    expect(tries('mkfifo', [pipe])).toBe(true);
    expect(routeWith({ NODE_EXTRA_CA_CERTS: pipe })?.authorities_problem).toContain('(it is no file)');
  }),
);
