// The arrows between the parts. docs/architecture.md explains them; test/arrows.test.ts breaks each one on purpose.

const forbid = (name, comment, ...[from, to]) => ({ name, comment, severity: 'error', from, to });
const source = '^(cli|hub|loom|tools)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid(
      'no-cycles',
      'two files that need each other are one idea',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
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
      'plugins-meet-through-the-hub',
      'a plugin knows the protocol, the plugin interface, the error and what a call is called, and no other plugin',
      { path: '^(loom|tools/[^/]+)/' },
      {
        path: source,
        pathNot: [
          '^hub/(protocol/|plugin\\.ts$|error\\.ts$|(call_text|excerpt)\\.ts$)',
          '^$1/',
          '^tools/(parts|store|outcome|image|changes)\\.ts$',
          '^tools/(policy|process|sandbox)/',
        ],
      },
    ),
    forbid(
      'tools-reach-the-hub-as-clients-do',
      'the process of the tools may run on another machine later',
      { path: '^tools/' },
      {
        path: '^(hub|loom|cli)/',
        pathNot: '^hub/(protocol/|(client|config|error|excerpt|plugin|call_text|inherited)\\.ts$)',
      },
    ),
    forbid(
      'hub-knows-no-plugin',
      'only the composition root names plugins',
      { path: '^hub/', pathNot: '^hub/main\\.ts$' },
      { path: '^(loom|tools)/' },
    ),
    forbid('hub-knows-no-client', 'the hub serves any client', { path: '^(hub|loom|tools)/' }, { path: '^cli/' }),
    forbid(
      'cli-is-thin',
      'the command line reaches everything through the client library; how to walk a tree and name a call are pure functions',
      { path: '^cli/' },
      {
        path: '^(hub|loom|tools)/',
        pathNot: ['^hub/(protocol/|(client|config|error|nearest|call_text|log_line)\\.ts$)', '^loom/tree\\.ts$'],
      },
    ),
    forbid(
      'pure-functions-stand-alone',
      'every side may import these, so they bring nothing along',
      { path: '^(loom/tree|hub/call_text|hub/excerpt)\\.ts$' },
      {},
    ),
    forbid(
      'client-knows-protocol-by-type',
      'a validator in the client would double its start-up time',
      { path: '^(cli/|hub/(client|lifecycle|config|error|log_line)\\.ts$)' },
      {
        path: '(^hub/protocol/|node_modules/zod/)',
        pathNot: '^hub/protocol/limits\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbid(
      'client-is-small',
      'of the hub the client library holds what finds, starts and reaches it',
      { path: '^hub/(client|lifecycle)\\.ts$' },
      { path: '^hub/(main|hub|server|plugin|health|lock|log|discover)\\.ts$' },
    ),
    forbid(
      'sqlite-behind-the-store',
      'one file speaks to SQLite, and the lock',
      { pathNot: '^(loom/store\\.ts|hub/lock\\.ts|test/.*)$' },
      { path: 'node_modules/better-sqlite3|^better-sqlite3' },
    ),
    forbid(
      'a-model-sdk-behind-its-provider',
      'one file knows each, and loads it when it is first asked',
      { pathNot: '^(hub/agent/(providers/(anthropic|openai)|models)\\.ts$|test/)' },
      { path: 'node_modules/(@anthropic-ai/sdk|openai|@pydantic/genai-prices)/' },
    ),
    forbid(
      'chalk-behind-the-style',
      'renderers are pure: colour is data that they are given',
      { pathNot: '^cli/render/style\\.ts$' },
      { path: 'node_modules/chalk/' },
    ),
    forbid(
      'renderers-are-pure',
      'a renderer takes data, width and style and returns text',
      { path: '^cli/render/' },
      {
        path: ['^(hub|loom|tools)/', '^cli/', '^(node:)?(fs|os|process|child_process|net|tty|readline)'],
        pathNot: ['^cli/render/', '^hub/(protocol/|call_text\\.ts$)', '^loom/tree\\.ts$'],
      },
    ),
    forbid(
      'no-development-packages',
      'what the program needs is installed with it',
      { path: source },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
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
