import type { PreferenceKind } from './preference_value.js';

export interface Preference {
  key: string;
  description: string;
  default: string;
  /** Environment variables that set it, the strongest first. */
  environment: readonly string[];
  kind: PreferenceKind;
  /** Whether a project's own file may set it: nothing that runs a command or concerns other projects. */
  project: boolean;
}

/** Every preference with a key of its own; `postgres.<name>` is one for each database that a person names. */
export const PREFERENCES: readonly Preference[] = [
  {
    key: 'color',
    description: 'Colours on the terminal.',
    default: 'auto',
    environment: ['COGNITION_COLOR'],
    kind: { type: 'choice', values: ['auto', 'always', 'never'] },
    project: true,
  },
  {
    key: 'pager',
    description: 'The command that shows long output page by page, where it is installed; `cat` for none.',
    default: 'less -R',
    environment: ['COGNITION_PAGER', 'PAGER'],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'ascii',
    description: 'Draw trees with ASCII characters only.',
    default: 'false',
    environment: ['COGNITION_ASCII'],
    kind: { type: 'flag' },
    project: true,
  },
  {
    key: 'wrap',
    description:
      'Where long lines of prose break in `chat`: `words` breaks between words; `terminal` leaves it to the terminal, so that what is copied has no line breaks in it.',
    default: 'words',
    environment: ['COGNITION_WRAP'],
    kind: { type: 'choice', values: ['words', 'terminal'] },
    project: true,
  },
  {
    key: 'notify',
    description:
      'What a chat does when a long turn ends or a question waits: nothing, ring the bell, or send a notification of the desktop (OSC 9), where the terminal has them.',
    default: 'off',
    environment: ['COGNITION_NOTIFY'],
    kind: { type: 'choice', values: ['off', 'bell', 'osc9'] },
    project: false,
  },
  {
    key: 'notify.seconds',
    description: 'Seconds from which on a turn is long.',
    default: '20',
    environment: ['COGNITION_NOTIFY_SECONDS'],
    kind: { type: 'number', least: 0, most: 86_400 },
    project: false,
  },
  {
    key: 'model',
    description:
      'The model that new conversations begin with, as `provider/model` or by a short name such as `sonnet`.',
    default: '',
    environment: ['COGNITION_MODEL'],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'fallback',
    description: 'The model that goes on with a turn whose own stays overloaded; none when it is empty.',
    default: '',
    environment: [],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'thinking',
    description:
      'How much models think in new conversations: auto, off, low, medium, high or max; for single models as in `auto, opus=max, gpt=low`.',
    default: 'auto',
    environment: [],
    kind: { type: 'by_model', values: ['auto', 'off', 'low', 'medium', 'high', 'max'] },
    project: false,
  },
  {
    key: 'cache',
    description:
      'How long Anthropic keeps what it has read of a conversation: `5m`, or `1h`, which costs more to write; `auto` takes the hour where you often pause for longer than five minutes.',
    default: 'auto',
    environment: [],
    kind: { type: 'choice', values: ['auto', '5m', '1h'] },
    project: false,
  },
  {
    key: 'compact',
    description: 'Whether a conversation is summarised by itself when the window of its model is nearly full.',
    default: 'auto',
    environment: [],
    kind: { type: 'choice', values: ['auto', 'off'] },
    project: true,
  },
  {
    key: 'window',
    description:
      'Tokens that fit the window of models of which that is not known, such as those of a server of your own.',
    default: '',
    environment: [],
    kind: { type: 'number', least: 1, most: 100_000_000 },
    project: false,
  },
  {
    key: 'hub.idle_minutes',
    description: 'Minutes after which a hub without clients and without work ends by itself.',
    default: '30',
    environment: [],
    kind: { type: 'number', least: 0.001, most: 525_600 },
    project: false,
  },
  {
    key: 'jobs.minutes_max',
    description: 'Minutes after which a command that a model runs in the background is ended.',
    default: '240',
    environment: [],
    kind: { type: 'number', least: 0.001, most: 10_080 },
    project: false,
  },
  {
    key: 'sharing.live',
    description:
      'Whether shared conversations are sent and fetched as they grow, for as long as the hub runs; otherwise `push`, `pull` and `sync` do it.',
    default: 'true',
    environment: [],
    kind: { type: 'flag' },
    project: false,
  },
  {
    key: 'sharing.projects',
    description:
      'Projects whose new conversations are shared, as `share --project` writes it: `[["team","/srv/web"]]`.',
    default: '',
    environment: [],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'sharing.files_megabytes_max',
    description:
      'Megabytes that the recorded files of one conversation may have at a remote, where they are shared with `--files`.',
    default: '2000',
    environment: [],
    kind: { type: 'number', least: 0.001, most: 1_000_000 },
    project: false,
  },
  {
    key: 'output.megabytes_max',
    description: 'Megabytes of one output that are stored; of a longer one its head and its tail are.',
    default: '50',
    environment: [],
    kind: { type: 'number', least: 0.001, most: 1_000 },
    project: false,
  },
  {
    key: 'files.record',
    description:
      'Whether the files of a project are recorded for the nodes of its conversations, before a model changes them and after.',
    default: 'true',
    environment: [],
    kind: { type: 'flag' },
    project: false,
  },
  {
    key: 'files.follow',
    description:
      'Whether the files come along when you go to another node in a chat; with `ask` you are asked each time.',
    default: 'yes',
    environment: [],
    kind: { type: 'choice', values: ['yes', 'ask', 'no'] },
    project: false,
  },
  {
    key: 'agents.models',
    description:
      'Models and the agents that carry them, beside those of the table: `name=agent`, or `name=agent:model` where the agent has another name for it, with commas between them.',
    default: '',
    environment: [],
    kind: { type: 'command' },
    project: false,
  },
  {
    key: 'agents.for_models',
    description:
      'Whether models at level orchestrator may have others work, by tools such as `work_with`, `consult_with` and `group_think`: about 550 tokens more in each request.',
    default: 'false',
    environment: [],
    kind: { type: 'flag' },
    project: false,
  },
  {
    key: 'http.allow',
    description: 'Hosts that may be fetched from although their addresses are private, such as `localhost:8080`.',
    default: '',
    environment: [],
    kind: { type: 'command' },
    project: false,
  },
];
