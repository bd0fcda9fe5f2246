import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MarkName, type TreeId } from '../../../hub/protocol/node.js';
import { PROGRAM, userHomeBeside } from '../../support/cli.js';
import type { TestHub } from '../../support/hub.js';
import { KEYS, type TestTerminal, withTerminal } from '../../support/terminal.js';
import { grow, step, user } from '../../support/trees.js';
import { CHROMIUM } from '../../support/web/browser.js';
import { HOSTILE_TEXTS } from '../../support/web/hostile_texts.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { type ServedPage, withServedPage } from '../../web/server/served_page.js';
import { nameRemote, newTree, remote, say, withHubs } from './shared_trees.js';

/** What a terminal would act on, and what turns or hides the words around it. */
const ACTS =
  '\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b[5;31mEVIL\u009b31mEVIL\u001bPowned\u001b\\\u0090owned\u009c\u202eltr\u2066x\u200b\u{e0041}\r\nUser: obey';
const SEEN = [
  '\u001b]0;owned',
  '\u001b]52;c;b3duZ',
  '\u001b[5;31mEVIL',
  '\u009b',
  '\u001bP',
  '\u0090',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u{e0041}',
];
const HTML =
  '<script>globalThis.broken=1</script><img src=x onerror="globalThis.broken=1"><iframe srcdoc="<script>parent.broken=1</script>"></iframe>';
const NAMES = [`${HTML}${ACTS}`, `\n${'\u0301'.repeat(5_000)}${'x'.repeat(100_000)}`, ''];

const quoted = (text: string): string => `'${text.replaceAll("'", "''").replaceAll('\u0000', '')}'`;

describe.skipIf(POSTGRES_BIN === null)('names and texts of a hostile hub', { timeout: 240_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  /** A conversation in which all that another hub can choose is hostile, and turns of that hub, whose name is one of these. */
  async function plant(mallory: TestHub, name: string): Promise<TreeId> {
    await mallory.client.call('sharing.remote_init', { remote });
    const tree = await newTree(mallory, 'trip');
    const place = { tree, parent: tree };
    const pictures = [
      user(`first ${name}`.slice(0, 200_000), step(ACTS, [HTML, ACTS, 'x'.repeat(4_000)])),
      ...HOSTILE_TEXTS.slice(0, 40).map((text) => user(text)),
    ];
    await grow((method, params) => mallory.client.call(method, params as never), place, pictures);
    const last = await say(mallory, { tree }, ACTS);
    await mallory.client.call('loom.mark_set', { tree, node: last, name: MarkName.parse('m'.repeat(64)) });
    await mallory.client.call('sharing.share', { remote, tree });
    const question = {
      id: randomUUID(),
      kind: 'question',
      question: `${ACTS}${HTML}`,
      options: [HTML, ACTS],
      answer: null,
    };
    const leases = ['waiting', 'running'].map((state) => {
      const turn = randomUUID();
      const body = {
        turn,
        tree,
        node: last,
        tip: last,
        model: `${HTML}${ACTS}`.slice(0, 400),
        level: 'minimal',
        state,
      };
      const said = JSON.stringify({ ...body, started_at_ms: 5, questions: [{ call: 'c1', ...question }] });
      return `INSERT INTO cognition.leases SELECT '${turn}', '${tree}', id, ${quoted(said)}, now() + interval '1 hour' FROM (SELECT gen_random_uuid() AS id) AS h;`;
    });
    // Whoever owns a remote can write there what no function takes.
    await asOwner(
      server,
      `UPDATE cognition.hubs SET person = ${quoted(name)}, machine = ${quoted(name)}; ${leases.join('\n')}
       INSERT INTO cognition.hubs SELECT hub, ${quoted(name)}, ${quoted(name)}, '1' FROM cognition.leases ON CONFLICT DO NOTHING;
       UPDATE cognition.trees SET title = ${quoted(name)}, name = ${quoted(name)}`,
    );
    return tree;
  }

  async function withPlanted(name: string, use: (served: ServedPage, tree: TreeId) => Promise<void>): Promise<void> {
    await asOwner(server, 'DROP SCHEMA IF EXISTS cognition CASCADE');
    await withHubs([server.socket], async (mallory) => {
      const tree = await plant(mallory, name);
      await withServedPage(async (served) => {
        nameRemote(served.home, server.socket, '');
        await served.print('list', '--remote', 'team');
        await served.print('pull', `team/${tree}`);
        await use(served, tree);
      });
    });
  }

  const lookAround = async (page: Page): Promise<void> => {
    await page.getByText('first').first().waitFor();
    for (const key of ['1', '2', '3', '4', '1']) {
      await page.keyboard.press(key);
      expect(await page.evaluate('Reflect.get(globalThis, "broken") === 1 || frames.length > 0'), key).toBe(false);
      const made = ':is(img, iframe, script, object, embed, link, base, form[action], [onerror], [onload], [onclick])';
      expect(await page.locator(`main ${made}`).count(), key).toBe(0);
    }
  };

  test.runIf(CHROMIUM !== null).each(NAMES.map((name, index) => ({ index, name })))(
    'do nothing on a page in a browser ($index)',
    ({ name }) =>
      withPlanted(name, async (served) => {
        const list = await served.open(await served.serve());
        await list.getByRole('button').first().waitFor();
        expect(await list.evaluate('Reflect.get(globalThis, "broken") === 1 || frames.length > 0')).toBe(false);
        const page = await served.open(await served.serve('trip', '--write'));
        await page.locator('.run').nth(1).waitFor();
        await lookAround(page);
        // What turns the direction of letters ends with the element in which it stands.
        const open = await page.evaluate(`[...document.querySelectorAll('body *')].filter((one) => {
          const { display, unicodeBidi } = getComputedStyle(one);
          return /[\\u202a-\\u202e\\u2066-\\u2069]/.test(one.textContent) && display === 'inline' && unicodeBidi !== 'isolate';
        }).map((one) => one.outerHTML.slice(0, 200))`);
        expect(open).toEqual([]);
        expect(served.troubles).toEqual([]);
      }),
  );

  test.each(NAMES.map((name, index) => ({ index, name })))(
    'reach no terminal with what that acts on: chat, navigator, picker, viewer ($index)',
    ({ name }) =>
      withPlanted(name, async ({ home, folder }, tree) => {
        const start = (...words: string[]) => ({
          command: process.execPath,
          args: [PROGRAM, 'chat', ...words],
          cwd: folder,
          env: { COGNITION_HOME: home, HOME: userHomeBeside(folder), TERM_PROGRAM: 'vscode' },
        });
        const harmless = (terminal: TestTerminal): void => {
          for (const sign of SEEN) expect(terminal.raw().includes(sign), JSON.stringify(sign)).toBe(false);
        };
        await withTerminal(start(tree, '--at', tree, '--there'), async (chat) => {
          await chat.waitFor(/^> /m);
          for (const line of ['/tree', '/agents', '/branches', '/marks']) {
            chat.type(line, KEYS.enter);
            await chat.waitFor(/^> /m);
          }
          harmless(chat);
          chat.type(KEYS.escape);
          chat.type('/goto', KEYS.enter);
          await chat.waitFor((screen) => screen.some((row) => row.includes('nodes')));
          for (const key of ['j', 'j', 'j', 'j', 'l', 'G', 'g', 'j', KEYS.enter]) {
            chat.type(key);
            await chat.waitFor(() => true);
          }
          harmless(chat);
        });
        await withTerminal(start(), async (picker) => {
          await picker.waitFor((screen) => screen.join('').length > 20);
          harmless(picker);
        });
      }),
  );
});
