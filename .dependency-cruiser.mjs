// The arrows between the parts. docs/architecture.md explains them; test/arrows.test.ts breaks each one on purpose.

const forbid = (name, comment, ...[from, to]) => ({ name, comment, severity: 'error', from, to });
/** The packages that the bundles hold. */
const BUNDLED = [
  ...['@agentclientprotocol/sdk', '@anthropic-ai/sdk', '@google/genai', 'openai'],
  ...['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'smol-toml'],
  ...['@pydantic/genai-prices', 'chalk', 'commander', 'diff', 'highlight\\.js', 'json-rpc-2\\.0', 'marked', 'pg'],
  ...['@preact/signals', 'preact', 'preact-render-to-string'],
  ...['string-width', 'treeify', 'ws', 'zod'],
];
const source = '^(cli|hub|loom|tools)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid('no-cycles', 'two files that need each other, be it by type, are one idea', {}, { circular: true }),
    forbid('no-unresolvable', 'what is imported exists', {}, { couldNotResolve: true }),
    forbid(
      'no-tests-in-the-program',
      'the program does not know its tests',
      { path: source },
      { path: '^(test|\\.dev)/' },
    ),
    forbid(
      'protocol-imports-only-zod',
      'the protocol is values without behaviour, readable by every side',
      { path: '^hub/protocol/' },
      { pathNot: '(^hub/protocol/|node_modules/zod/)' },
    ),
    forbid(
      'base-imports-only-the-protocol',
      'every side may import hub/base, so it brings nothing along',
      { path: '^hub/base/' },
      { path: source, pathNot: '^hub/(base|protocol)/' },
    ),
    forbid(
      'loom-knows-base-and-protocol',
      'storage is reached through the hub, and reaches nothing else',
      { path: '^loom/' },
      { path: source, pathNot: '^(loom|hub/(base|protocol))/' },
    ),
    forbid(
      'tools-reach-the-hub-as-clients-do',
      'the process of the tools may run on another machine later',
      { path: '^tools/' },
      { path: source, pathNot: '^(tools|hub/(base|client|config|protocol))/' },
    ),
    forbid(
      'plugins-meet-through-the-hub',
      'a plugin of the tools knows what all of them share, and no other plugin',
      { path: '^tools/(agents|bash|file|files|git|http|mcp|postgres)/' },
      { path: '^tools/', pathNot: '^tools/($1|base|policy|private_git|process|sandbox|walk)/' },
    ),
    forbid(
      'histories-are-pure',
      'the sessions of other programs are read and written by the tools and by the command line: their forms open nothing',
      { path: '^tools/agents/history/' },
      {
        path: [source, '^(node:)?(fs|os|process|child_process|net)'],
        pathNot: '^(tools/agents/history/|hub/(base|protocol)/)',
      },
    ),
    forbid(
      'hub-knows-no-plugin',
      'only the composition root names plugins',
      { path: '^hub/', pathNot: '^hub/start/' },
      { path: '^(loom|tools)/' },
    ),
    forbid('hub-knows-no-front', 'the hub serves any client', { path: '^(hub|loom|tools)/' }, { path: '^cli/' }),
    forbid(
      'only-roots-compose',
      'what puts parts together is imported by nobody',
      { pathNot: '^(hub/start|tools/start|test|\\.dev)/' },
      { path: '^(hub|tools)/start/' },
    ),
    forbid(
      'cli-is-thin',
      'the command line reaches everything through the client library; pure functions over trees and histories it shares',
      { path: '^cli/' },
      {
        path: '^(hub|loom|tools)/',
        pathNot:
          '^(hub/(base|client|config|protocol)/|loom/(tree|store/(canonical_json|node_hash|rows))\\.ts$|tools/(agents/history/|base/image\\.ts$|walk/pinned_folder\\.ts$))',
      },
    ),
    forbid(
      'commands-are-listed-by-the-roots',
      'a command and the chat are parts: only the files of cli/ itself put them together',
      { path: '^cli/[^/]+/', pathNot: '^cli/(commands|repl)/' },
      { path: '^cli/(commands|repl)/' },
    ),
    forbid(
      'commands-know-no-chat',
      'the chat offers commands of the command line, never the other way round',
      { path: '^cli/commands/' },
      { path: '^cli/repl/' },
    ),
    forbid(
      'pure-functions-stand-alone',
      'every side may import these, so they bring nothing along',
      { path: '^(loom/tree|hub/base/(call_title|head_and_tail|nearest_word))\\.ts$' },
      {},
    ),
    forbid(
      'client-knows-protocol-by-type',
      'a validator in the client would double its start-up time; what speaks a protocol of schemas is a bundle of its own',
      { path: '^(cli|hub/(base|client|config|home|wire))/', pathNot: '^cli/mcp/' },
      {
        path: '(^hub/protocol/|node_modules/zod/)',
        pathNot: '^hub/protocol/(limits|call_facts)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbid(
      'client-is-small',
      'of the hub the client library holds what finds, starts and reaches it',
      { path: '^hub/client/' },
      { path: source, pathNot: '^hub/(base|client|config|home|wire|protocol)/' },
    ),
    forbid(
      'sqlite-behind-the-store',
      'one file knows the package; it is reached through the choice of the library',
      { pathNot: '^(hub/base/sqlite/better_sqlite\\.ts|test/.*)$' },
      { path: 'node_modules/better-sqlite3|^better-sqlite3' },
    ),
    forbid(
      'a-model-sdk-behind-its-provider',
      'one file for each protocol knows it, and loads it when it is first asked',
      {
        pathNot:
          '^(hub/agent/(providers/(anthropic/anthropic_provider|gemini/gemini_provider|openai/send_chat|responses/send_responses)|model/price_table)\\.ts$|test/)',
      },
      { path: 'node_modules/(@anthropic-ai/sdk|@google/genai|openai|@pydantic/genai-prices)/' },
    ),
    forbid(
      'a-protocol-kit-behind-its-server',
      'the kit of a protocol is bundled with the one command that speaks it',
      { pathNot: '^(cli/repl/acp/|cli/mcp/|tools/mcp/connection/|test/)' },
      { path: 'node_modules/@(agentclientprotocol|modelcontextprotocol)/' },
    ),
    forbid(
      'the-page-runs-in-a-browser',
      'the page imports nothing of Node, and of the rest only types and pure functions',
      { path: '^cli/web/page/' },
      {
        path: [
          source,
          'node_modules/(?!preact/|preact-render-to-string/|@preact/|marked/|highlight\\.js/|diff/)',
          '^node:',
        ],
        pathNot: '^(cli/web/page/|hub/base/(call_end|call_title|node_blocks)\\.ts$|loom/tree\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbid(
      'the-page-stands-alone',
      'of the page others use what is pure: its core, and the form of its data',
      { path: '^(cli/(?!web/page/)|hub|loom|tools)' },
      { path: '^cli/web/page/', pathNot: '^cli/web/page/(core/|source/(source|file_data)\\.ts$)' },
    ),
    forbid(
      'chalk-behind-the-style',
      'renderers are pure: colour is data that they are given',
      { pathNot: '^cli/render/look/style\\.ts$' },
      { path: 'node_modules/chalk/' },
    ),
    forbid(
      'renderers-are-pure',
      'a renderer takes data, width and style and returns text',
      { path: '^cli/render/' },
      {
        path: [source, '^(node:)?(fs|os|process|child_process|net|tty|readline)'],
        pathNot: '^(cli/render/|hub/(base|protocol)/|loom/tree\\.ts$)',
      },
    ),
    forbid(
      'no-development-packages',
      'what the program needs is bundled, and named here, or installed with it',
      { path: source },
      {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: `node_modules/(@types|${BUNDLED.join('|')})/`,
      },
    ),
    forbid(
      'no-orphans',
      'a file that nothing imports and that is no entry is dead',
      { orphan: true, path: source, pathNot: '\\.d\\.ts$' },
      {},
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
